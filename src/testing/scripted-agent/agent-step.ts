/** Owns what a scripted agent's process does, as data, and the builders for it. Pure. */

/** One thing that the process does. */
export type AgentStep =
  /** Writes to stdout, in one piece. */
  | { readonly type: 'print'; readonly text: string; readonly repeat: number }
  /** Writes to stderr. */
  | { readonly type: 'complain'; readonly text: string }
  /** Does nothing for a while. */
  | { readonly type: 'pause'; readonly pauseMs: number }
  /** Runs `sh -c` where the agent works, and waits for it. */
  | { readonly type: 'shell'; readonly command: string; readonly isPrinted: boolean }
  /** Ends the process. */
  | { readonly type: 'exit'; readonly exitCode: number };

/** The builders of `step`. */
export interface StepBuilders {
  /** Writes `text` to stdout as it stands, in one piece, `repeat` times. @default repeat 1 */
  print(text: string, repeat?: number): AgentStep;
  /** Writes `text` to stderr as it stands. */
  complain(text: string): AgentStep;
  /** Is silent for `pauseMs` milliseconds. */
  pause(pauseMs: number): AgentStep;
  /**
   * Runs a shell command where the agent works. When it fails, the process ends with its exit code and its stderr.
   * With `isPrinted`, what it prints goes to stdout without its last newline. @default isPrinted false
   */
  shell(command: string, options?: { readonly isPrinted?: boolean }): AgentStep;
  /** Ends the process with `exitCode`; after the last step it ends with 0. */
  exit(exitCode: number): AgentStep;
}

/**
 * Builds the steps of a scripted agent.
 *
 * @example
 * ```ts
 * const agent = scriptedAgent({
 *   steps: [step.shell('git commit --allow-empty -m work'), step.print('<res'), step.print('ult>42</result>')],
 * });
 * ```
 */
export const step: StepBuilders = {
  print: (text, repeat = 1) => ({ type: 'print', text, repeat }),
  complain: (text) => ({ type: 'complain', text }),
  pause: (pauseMs) => ({ type: 'pause', pauseMs }),
  shell: (command, { isPrinted = false } = {}) => ({ type: 'shell', command, isPrinted }),
  exit: (exitCode) => ({ type: 'exit', exitCode }),
};

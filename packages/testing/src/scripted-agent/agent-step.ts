/** Steps of a scripted agent as data, and their builders. Pure. */

/** One step of the process. */
export type AgentStep =
  /** Writes to stdout in one piece. */
  | { readonly type: 'print'; readonly text: string; readonly repeat: number }
  /** Writes to stderr. */
  | { readonly type: 'complain'; readonly text: string }
  /** Sleeps. */
  | { readonly type: 'pause'; readonly pauseMs: number }
  /** Runs `sh -c` in the agent's folder and waits for it. */
  | { readonly type: 'shell'; readonly command: string; readonly isPrinted: boolean }
  /** Ends the process. */
  | { readonly type: 'exit'; readonly exitCode: number };

/** Builders of `step`. */
export interface StepBuilders {
  /** Writes `text` verbatim to stdout in one piece, `repeat` times. @default repeat 1 */
  print(text: string, repeat?: number): AgentStep;
  /** Writes `text` verbatim to stderr. */
  complain(text: string): AgentStep;
  /** Sleeps for `pauseMs` milliseconds. */
  pause(pauseMs: number): AgentStep;
  /**
   * Runs a shell command in the agent's folder. If it fails, the process ends with its exit code
   * and stderr. With `isPrinted`, its output goes to stdout without the last newline. @default
   * isPrinted false
   */
  shell(command: string, options?: { readonly isPrinted?: boolean }): AgentStep;
  /** Ends the process with `exitCode`. After the last step it ends with 0. */
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
 * @public
 */
export const step: StepBuilders = {
  print: (text, repeat = 1) => ({ type: 'print', text, repeat }),
  complain: (text) => ({ type: 'complain', text }),
  pause: (pauseMs) => ({ type: 'pause', pauseMs }),
  shell: (command, { isPrinted = false } = {}) => ({ type: 'shell', command, isPrinted }),
  exit: (exitCode) => ({ type: 'exit', exitCode }),
};

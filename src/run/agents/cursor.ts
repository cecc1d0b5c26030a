/** Owns `cursor()`: Cursor's CLI as an agent. */
import type { AgentProvider } from './agent-provider.ts';
import { buildCursorCommand, buildCursorInteractiveArgs } from './cursor-command.ts';
import { createCursorStreamParser } from './cursor-stream.ts';

/** Options of `cursor()`. */
export interface CursorOptions {
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Makes Cursor's CLI an agent. Its program, which is named `agent`, must be on the PATH where it runs.
 *
 * Written after its documentation: it was never run against the real CLI. It logs in by `CURSOR_API_KEY`, or what the CLI has stored.
 * The prompt is an argument, of 120 KiB at most; sessions are not resumed.
 *
 * @param model - absent, the CLI's own default
 *
 * @example
 * ```ts
 * const agent = cursor('composer-1', { env: { CURSOR_API_KEY: process.env.CURSOR_API_KEY ?? '' } });
 * ```
 */
export function cursor(model?: string, options: CursorOptions = {}): AgentProvider {
  return {
    name: 'cursor',
    ...(model !== undefined && { model }),
    env: options.env ?? {},
    captureSessions: false,
    promptBy: 'argument',
    hasEndEvent: true,
    program: 'agent',
    installHint: 'see https://cursor.com/cli',
    buildPrintCommand: (commandOptions) => buildCursorCommand(model, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildCursorInteractiveArgs(model, commandOptions),
    createStreamParser: () => createCursorStreamParser(),
  };
}

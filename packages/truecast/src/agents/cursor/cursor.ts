/** `cursor()`: adapter for Cursor's CLI. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { AGENT_HOSTS, withHostOf } from '../agent-hosts.ts';
import { withLineView } from '../stream/line-view.ts';
import type { StreamAgentProvider } from '../../ports/agent-provider.ts';
import { buildCursorCommand, buildCursorInteractiveArgs } from './cursor-command.ts';
import { createCursorStreamParser } from './cursor-stream.ts';

/**
 * Options of `cursor()`.
 *
 * @experimental as `cursor()`
 */
export interface CursorOptions {
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
}

const CURSOR_OPTIONS: OptionNames<CursorOptions> = {
  env: true,
};

/**
 * Creates an agent that runs Cursor's CLI. Its program, named `agent`, must be on the PATH of the
 * run's environment.
 *
 * Written from its documentation and never tested with the real CLI. It logs in with
 * `CURSOR_API_KEY`, or the CLI's stored login. The prompt is passed as an argument, limited to 120
 * KiB. Sessions cannot be resumed.
 *
 * @param model - if absent, the CLI's default
 *
 * @experimental Nobody has run it with the real CLI yet. It can change in every version.
 *
 * @example
 * ```ts
 * const agent = cursor('composer-1', { env: { CURSOR_API_KEY: process.env.CURSOR_API_KEY ?? '' } });
 * ```
 */
export function cursor(model?: string, options: CursorOptions = {}): StreamAgentProvider {
  if (model !== undefined) assertKind(model, 'a string', 'model', 'Pass the name of a model, then options.');
  assertKnownOptions(options, { of: '`cursor()`', names: CURSOR_OPTIONS });
  return {
    name: 'cursor',
    ...(model !== undefined && { model }),
    env: options.env ?? {},
    captureSessions: false,
    promptBy: 'argument',
    hasEndEvent: true,
    program: 'agent',
    installHint: 'see https://cursor.com/cli',
    hosts: (hostEnv) => {
      const all = { ...hostEnv, ...options.env };
      const hosts = withHostOf(all['CURSOR_API_BASE_URL'], AGENT_HOSTS.cursor);
      return withHostOf(all['CURSOR_API_ENDPOINT'], hosts);
    },
    buildPrintCommand: (commandOptions) => buildCursorCommand(model, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildCursorInteractiveArgs(model, commandOptions),
    ...withLineView(() => createCursorStreamParser()),
  };
}

/** Offline agent provider. The program is `offline-agent.ts`. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import type { StreamAgentProvider } from 'truecast/internal/ports/agent-provider';
import { nodeProgramAgent } from '../node-program-agent.ts';

/**
 * The program. In the sources it is next to this module, in the published build a separate file next to
 * the bundle.
 */
export const OFFLINE_AGENT_PROGRAM: URL = new URL(
  `./offline-agent${import.meta.url.endsWith('.ts') ? '.ts' : '.mjs'}`,
  import.meta.url,
);

/** Options of `offlineAgent()`. */
export interface OfflineAgentOptions {
  /** The Node executable where the agent runs. @default the Node of this process */
  readonly node?: string;
}

/**
 * Creates the offline agent. It works in the repository as a coding agent does, without a model, an
 * account or a network.
 *
 * It lists the tracked files, adds a line to `TRUECAST.md` at the repository root, commits that
 * file alone, and answers `{ commit, filesTracked, largestFile: { path, bytes } }` in the prompt's
 * tag, as of its commit. Sizes are in bytes. It needs `git`, and works in a repository without
 * commits and without an identity.
 *
 * @example
 * ```ts
 * const result = await run({
 *   agent: offlineAgent(),
 *   sandbox: noSandbox(),
 *   prompt: 'Look around and answer in <result>…</result>.',
 *   output: Output.object({ tag: 'result', schema: z.object({ commit: z.string(), filesTracked: z.int() }) }),
 * });
 * console.log(result.output.filesTracked);
 * ```
 * @public
 */
export function offlineAgent(options: OfflineAgentOptions = {}): StreamAgentProvider {
  assertKind(options, 'an object', 'options', 'Pass `{ node }`, or leave it out.');
  return nodeProgramAgent({
    name: 'offline',
    node: options.node ?? process.execPath,
    programUrl: OFFLINE_AGENT_PROGRAM,
    args: () => [],
  });
}

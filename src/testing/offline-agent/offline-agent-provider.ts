/** Owns the offline agent as an agent provider. The program itself is `offline-agent.ts`. */
import type { AgentProvider } from '../../run/agents/agent-provider.ts';
import { nodeProgramAgent } from '../node-program-agent.ts';

/** Options of `offlineAgent()`. */
export interface OfflineAgentOptions {
  /** The Node that runs it, where the agent works. @default the Node of this process */
  readonly node?: string;
}

/**
 * Makes the offline agent: it works in the repository as a coding agent does, with no model, no account and no network.
 *
 * It reads what the repository tracks, adds a line to `TRUECAST.md` at its top, commits that file alone, and answers in the tag
 * that the prompt shows `{ commit, filesTracked, largestFile: { path, bytes } }`, told of its commit. Sizes are in bytes.
 * It needs `git`, and works in a repository without commits and without an identity.
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
 */
export function offlineAgent(options: OfflineAgentOptions = {}): AgentProvider {
  return nodeProgramAgent({
    name: 'offline',
    node: options.node ?? process.execPath,
    // Beside this module both in the sources and in the published build, where it is a file of its own.
    programUrl: new URL(
      `./offline-agent${import.meta.url.endsWith('.ts') ? '.ts' : '.mjs'}`,
      import.meta.url,
    ),
    args: () => [],
  });
}

/** Checks of a run's tools: the agent can load MCP tools, and the sandbox can reach them. */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import type { RunOptions } from './run-options.ts';

/** Returns true for at least one tool. */
export function hasTools(tools: RunOptions['tools']): boolean {
  return tools !== undefined && Object.keys(tools).length > 0;
}

/**
 * Rejects tools that the agent could not call.
 *
 * @throws UsageError `unsupported` with the name of the agent or of the sandbox
 */
export function assertTools({
  tools,
  agent,
  sandbox,
}: Pick<RunOptions, 'tools'> & { readonly agent: AgentProvider; readonly sandbox: SandboxProvider }): void {
  if (tools === undefined) return;
  assertKind(tools, 'an object', 'tools', 'Pass `{ name: { description, inputSchema, execute } }`.');
  if (!hasTools(tools)) return;
  if (agent.canUseMcp !== true) {
    throw new UsageError(
      `The agent \`${agent.name}\` cannot load MCP tools, which \`tools\` needs. Use an agent that can, such as \`claudeCode()\` or \`codex()\`, or remove \`tools\`.`,
      { code: 'unsupported' },
    );
  }
  assertHostReachable(sandbox, { what: '`tools`', next: 'Remove `tools`' });
}

/**
 * Rejects a sandbox that cannot connect to a socket on the host.
 *
 * @throws UsageError `unsupported` with its name
 */
export function assertHostReachable(
  { name, tag }: SandboxProvider,
  { what, next }: { readonly what: string; readonly next: string },
): void {
  if (TAGS_WITH_SOCKETS.includes(tag)) return;
  throw new UsageError(
    `The sandbox \`${name}\` shares no files with this host, so ${what} cannot reach the run from inside. ${next}, or use a local sandbox.`,
    { code: 'unsupported' },
  );
}

const TAGS_WITH_SOCKETS: readonly string[] = ['none', 'bind-mount'] satisfies SandboxProvider['tag'][];

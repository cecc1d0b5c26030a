/**
 * Route of a run's answer: a tag in the text, the agent's schema mode, or a tool that receives it.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { finalizerTool } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';

/** Routes of a coding agent. */
export type RunRoute = 'tag' | 'native' | 'mcp';

/**
 * Chooses the route. A tag takes precedence, then `via`, then the agent's native route, then the
 * tool.
 */
export function chooseRoute(output: AnyOutputDefinition, agent: AgentProvider): RunRoute {
  if (output.tag !== undefined) return 'tag';
  const via = output.via ?? (agent.nativeRoute === undefined && agent.canUseMcp === true ? 'mcp' : 'native');
  if (via === 'native' && agent.nativeRoute !== undefined) return 'native';
  if (via === 'mcp' && agent.canUseMcp === true) return 'mcp';
  if (via === 'native') {
    throw new UsageError(
      `The agent \`${agent.name}\` has no schema mode. Set \`tag\`, and name it in the prompt.`,
    );
  }
  if (via === 'mcp') {
    throw new UsageError(
      `The agent \`${agent.name}\` cannot load the MCP tool that \`via: 'mcp'\` needs. Set \`tag\`, and name it in the prompt.`,
    );
  }
  throw new UsageError(
    `The agent \`${agent.name}\` cannot answer via \`${via}\`. Set \`tag\`, or set \`via: 'native'\` with an agent that has a schema mode.`,
  );
}

/**
 * Rejects an output that its route does not support.
 *
 * @throws UsageError with the name of the sandbox from which the tool is unreachable
 */
export function assertRoute(
  output: AnyOutputDefinition,
  route: RunRoute,
  { sandbox }: { readonly sandbox: SandboxProvider },
): void {
  if (route !== 'mcp') return;
  finalizerTool(output);
  if (TAGS_WITH_SOCKETS.includes(sandbox.tag)) return;
  throw new UsageError(
    `The sandbox \`${sandbox.name}\` shares no files with this host, so \`via: 'mcp'\` cannot reach the run from inside. Set \`tag\`, or use a local sandbox.`,
    { code: 'unsupported' },
  );
}

/** Sandboxes that can connect to a socket file on the host. */
const TAGS_WITH_SOCKETS: readonly string[] = ['none', 'bind-mount'] satisfies SandboxProvider['tag'][];

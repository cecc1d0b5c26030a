/**
 * Mode of a run's answer: a tag in the text, the agent's schema mode, or a tool that receives it.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { finalizerTool } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';

/** Modes of a coding agent. */
export type RunMode = 'tag' | 'native' | 'mcp';

/**
 * Chooses the mode. A tag takes precedence, then `mode`, then the agent's native mode, then the
 * tool.
 */
export function chooseMode(output: AnyOutputDefinition, agent: AgentProvider): RunMode {
  if (output.tag !== undefined) return 'tag';
  const mode = output.mode ?? (agent.nativeMode === undefined && agent.canUseMcp === true ? 'mcp' : 'native');
  if (mode === 'native' && agent.nativeMode !== undefined) return 'native';
  if (mode === 'mcp' && agent.canUseMcp === true) return 'mcp';
  if (mode === 'native') {
    throw new UsageError(
      `The agent \`${agent.name}\` has no schema mode. Set \`tag\`, and name it in the prompt.`,
    );
  }
  if (mode === 'mcp') {
    throw new UsageError(
      `The agent \`${agent.name}\` cannot load the MCP tool that \`mode: 'mcp'\` needs. Set \`tag\`, and name it in the prompt.`,
    );
  }
  throw new UsageError(
    `The agent \`${agent.name}\` cannot answer by \`mode: '${mode}'\`. Set \`tag\`, or set \`mode: 'native'\` with an agent that has a schema mode.`,
  );
}

/**
 * Rejects an output that its mode does not support.
 *
 * @throws UsageError with the name of the sandbox from which the tool is unreachable
 */
export function assertMode(
  output: AnyOutputDefinition,
  mode: RunMode,
  { sandbox }: { readonly sandbox: SandboxProvider },
): void {
  if (mode !== 'mcp') return;
  finalizerTool(output);
  if (TAGS_WITH_SOCKETS.includes(sandbox.tag)) return;
  throw new UsageError(
    `The sandbox \`${sandbox.name}\` shares no files with this host, so \`mode: 'mcp'\` cannot reach the run from inside. Set \`tag\`, or use a local sandbox.`,
    { code: 'unsupported' },
  );
}

/** Sandboxes that can connect to a socket file on the host. */
const TAGS_WITH_SOCKETS: readonly string[] = ['none', 'bind-mount'] satisfies SandboxProvider['tag'][];

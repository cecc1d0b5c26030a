/**
 * Mode of a run's answer: a tag in the text, the agent's schema mode, or a tool that receives it. With
 * the schema for the agent's mode, what it loses, and how the answer is restored.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { finalizerTool } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { AgentProvider, NativeMode, NativeSchema } from '../../ports/agent-provider.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { outputJsonSchema } from '@truecast/core/internal/output/definition/output-json-schema';
import { assertHostReachable } from './tool-options.ts';

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
  assertHostReachable(sandbox, { what: "`mode: 'mcp'`", next: 'Set `tag`' });
}

/** Number of losses named in a warning. The rest is only counted. */
const MAX_NAMED_LOSSES = 10;

/**
 * Lowers an output's schema to the subset that the agent's schema mode accepts.
 *
 * @throws UsageError `unsupported` for parts that cannot be expressed, with their path in the JSON
 *   Schema
 */
export function lowerOutput(output: AnyOutputDefinition, nativeMode: NativeMode): NativeSchema {
  const schema = outputJsonSchema(output);
  if (schema === undefined) {
    throw new UsageError('A text answer has no JSON Schema for the native mode. Set `tag`.');
  }
  try {
    return nativeMode.lowerSchema(schema);
  } catch (cause) {
    if (!SchemaError.isInstance(cause)) throw cause;
    throw new UsageError(`${cause.message} Change the schema, or set \`tag\`.`, {
      code: 'unsupported',
      cause,
    });
  }
}

/**
 * Describes the schema rules that the agent's schema mode does not enforce. Undefined if there are
 * none.
 */
export function describeLosses({ name }: AgentProvider, { losses }: NativeSchema): string | undefined {
  if (losses.length === 0) return undefined;
  const named = losses
    .slice(0, MAX_NAMED_LOSSES)
    .map(({ path, keyword, reason }) => `\`${keyword}\` at \`/${path.join('/')}\` (${reason})`);
  const more = losses.length > named.length ? `; and ${losses.length - named.length} more` : '';
  return `The schema mode of \`${name}\` does not enforce the whole schema: ${named.join('; ')}${more}. The answer is still validated by the whole schema afterwards.`;
}

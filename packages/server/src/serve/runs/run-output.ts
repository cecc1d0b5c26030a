/** Definition of an agent run's answer, and its prompt with the instructions of a tag. Pure. */
import type { CreateAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { Output } from '@truecast/core/internal/output/output';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';

type Asked = Pick<CreateAgentRunBody, 'response_format' | 'tag' | 'mode' | 'max_corrections'>;

const DEFAULT_TAG = 'result';
const DEFAULT_CORRECTIONS = 2;
/** An accepted schema, with the envelope around its root. */
const MAX_SCHEMA_BYTES = 65_536;

/**
 * Returns the definition. Undefined if the last text is the answer.
 *
 * @throws UsageError for a schema that cannot be compiled
 */
export function toRunOutput(asked: Asked, agent: AgentProvider): AnyOutputDefinition | undefined {
  const { response_format: format, mode } = asked;
  if (format?.type !== 'json_schema') {
    return asked.tag === undefined
      ? undefined
      : Output.string({ tag: asked.tag, ...corrections(asked, agent) });
  }
  // The schema was checked when the run was accepted.
  const schema = jsonSchema.unchecked(format.json_schema.schema, {
    maxBytes: MAX_SCHEMA_BYTES,
  });
  const hasOwnMode = agent.nativeMode !== undefined || agent.canUseMcp === true;
  const tag = asked.tag ?? (mode === undefined && !hasOwnMode ? DEFAULT_TAG : undefined);
  return Output.object({
    schema,
    ...(tag !== undefined && { tag }),
    ...(tag === undefined && mode !== undefined && { mode }),
    ...corrections(asked, agent),
  });
}

/** A fresh session repeats the agent's work, so it is started on request only. */
function corrections(
  { max_corrections: asked }: Asked,
  { sessionStorage }: AgentProvider,
): { readonly maxCorrections?: number; readonly retry?: 'fresh' } {
  if (sessionStorage !== undefined) return { maxCorrections: asked ?? DEFAULT_CORRECTIONS };
  return asked === undefined || asked === 0 ? {} : { maxCorrections: asked, retry: 'fresh' };
}

/** Adds the instructions that an answer in a tag needs, unless the prompt names the tag. */
export function toRunPrompt(prompt: string, output: AnyOutputDefinition | undefined): string {
  const isNamed = output?.tag === undefined || prompt.includes(`<${output.tag}>`);
  return isNamed ? prompt : `${prompt}\n\n${Output.instructions(output)}`;
}

/** Schemas in words: what a prompt tells of the answer where no mode of the service holds it. Pure. */
import type { ModelMessage } from 'ai';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { DEMONSTRATION } from '@truecast/core/internal/output/definition/demonstration';
import { instructionsFor } from '@truecast/core/internal/output/definition/instructions';
import { CALL_FINALIZER } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { LadderStep } from '../ladder/ladder.ts';
import { ROUTE_OF } from '../ladder/model-steps.ts';

/** Told with the schema where nothing forces the form of the reply. */
const WHOLE_REPLY = 'Your whole reply is the answer: nothing before it, nothing after it.';

/** How an answer is asked for. */
export interface ToldStep {
  readonly step: LadderStep | 'auto';
  /** True if a reply ignored the schema where its step sends it, or broke it in vain. */
  readonly isTold: boolean;
}

/**
 * Adds the schema in words to a prompt, where its step needs them.
 *
 * @param outputOf - returns the definition, if it is needed
 */
export function withToldSchema(
  messages: readonly ModelMessage[],
  outputOf: () => AnyOutputDefinition,
  { step, isTold }: ToldStep,
): readonly ModelMessage[] {
  const route = step === 'auto' ? 'tool' : ROUTE_OF[step];
  if (route !== 'json' && !isTold) return messages;
  const output = outputOf();
  if (route === 'json') return withInstructions(messages, wholeReply(output), demonstrationFor(output));
  const instructions = instructionsIfShort(output);
  if (instructions === undefined || (route === 'native' && output._tag === 'choice')) return messages;
  const call = route === 'tool' ? `${CALL_FINALIZER.now}\n` : '';
  return withInstructions(messages, `${call}${instructions}`);
}

/** Returns undefined for a schema whose text would be endless: the service has it in its own form. */
function instructionsIfShort(output: AnyOutputDefinition): string | undefined {
  try {
    return instructionsFor(output);
  } catch (error) {
    if (SchemaError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Tells how to answer where no mode holds the schema. The type is last, where small models follow it best. */
function wholeReply(output: AnyOutputDefinition): string {
  return `${WHOLE_REPLY}\n${instructionsFor(output)}`;
}

function demonstrationFor({ _tag }: AnyOutputDefinition): string {
  return _tag === 'object' || _tag === 'array' ? `${DEMONSTRATION}\n\n` : '';
}

/**
 * Instructions come last, where small models follow them best. A demonstration stands before the question.
 * Both are in the last question: many templates refuse two messages of one speaker in a row.
 */
function withInstructions(
  messages: readonly ModelMessage[],
  instructions: string,
  demonstration: string = '',
): readonly ModelMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user')
    return [...messages, { role: 'user', content: `${demonstration}${instructions}` }];
  const { content } = last;
  const before = demonstration === '' ? [] : [{ type: 'text' as const, text: demonstration.trimEnd() }];
  const told =
    typeof content === 'string'
      ? `${demonstration}${content}\n\n${instructions}`
      : [...before, ...content, { type: 'text' as const, text: instructions }];
  return [...messages.slice(0, -1), { ...last, content: told }];
}

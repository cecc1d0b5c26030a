/** Schemas in words: what a prompt tells of the answer where no mode of the service holds it. Pure. */
import { outputKindOf, answerWordsOf } from '@truecast/core/internal/output/definition/output-kinds';
import type { ModelMessage } from 'ai';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { DEMONSTRATED, DEMONSTRATED_QUESTION } from '@truecast/core/internal/output/definition/demonstration';
import { instructionsFor } from '@truecast/core/internal/output/definition/instructions';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import { toldType } from '@truecast/core/internal/schema/told/told-type';
import { CALL_FINALIZER } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { MODE_OF, type LadderStep } from '../ladder/ladder.ts';

/** Told with the schema where nothing forces the form of the reply. */
const WHOLE_REPLY = 'Your whole reply is the answer: nothing before it, nothing after it.';

/** How an answer is asked for. */
export interface ToldStep {
  readonly step: LadderStep | 'auto';
  /** True if a reply ignored the schema where its step sends it, or broke it in vain. */
  readonly isTold: boolean;
  /**
   * True if an engine that decodes under a grammar gets the schema without some of its rules. It shows the
   * schema to no model, so that only words can tell these. @default false
   */
  readonly isHeldInPart?: boolean | undefined;
}

/** Maximum of characters in a first question: windows of local models are small. */
const MAX_TOLD_FIRST = 4_000;

/**
 * Adds the schema in words to a prompt, where its step needs them.
 *
 * @param outputOf - returns the definition, if it is needed
 */
export function withToldSchema(
  messages: readonly ModelMessage[],
  outputOf: () => AnyOutputDefinition,
  { step, isTold, isHeldInPart = false }: ToldStep,
): readonly ModelMessage[] {
  const mode = step === 'auto' ? 'tool' : MODE_OF[step];
  if (mode !== 'json' && !isTold && !isHeldInPart) return messages;
  const output = outputOf();
  if (mode === 'json') return withAnswered(messages, output);
  const instructions = instructionsIfShort(output, isTold ? Number.POSITIVE_INFINITY : MAX_TOLD_FIRST);
  if (instructions === undefined || (mode === 'native' && answerWordsOf(output) !== undefined)) {
    return messages;
  }
  const call = mode === 'tool' ? `${CALL_FINALIZER.now}\n` : '';
  return withInstructions(messages, `${call}${instructions}`);
}

/** Adds the arguments of a function in words. The model is free not to call it. */
export function withToldArguments(
  messages: readonly ModelMessage[],
  { name, schema }: { readonly name: string; readonly schema: JsonSchema },
): readonly ModelMessage[] {
  const told = unlessEndless(() => toldType(schema).text);
  if (told === undefined) return messages;
  return withInstructions(messages, `A call of \`${name}\` has arguments of this type:\n${told}`);
}

/** Returns undefined for a schema whose text would be too long or endless: the service has it in its own form. */
function instructionsIfShort(output: AnyOutputDefinition, maxChars: number): string | undefined {
  const instructions = unlessEndless(() => instructionsFor(output));
  return instructions === undefined || instructions.length > maxChars ? undefined : instructions;
}

function unlessEndless(tell: () => string): string | undefined {
  try {
    return tell();
  } catch (error) {
    if (SchemaError.isInstance(error)) return undefined;
    throw error;
  }
}

/**
 * Tells how to answer where no mode holds the schema. An answered question shows it, as an earlier turn of
 * the conversation: beside the caller's own question, a model mixes the two.
 */
function withAnswered(
  messages: readonly ModelMessage[],
  output: AnyOutputDefinition,
): readonly ModelMessage[] {
  if (outputKindOf(output).schemaOf === undefined) {
    return withInstructions(messages, `${WHOLE_REPLY}\n${instructionsFor(output)}`);
  }
  const told = withInstructions(messages, instructionsFor(output, { isDemonstrated: true }));
  const answered: readonly ModelMessage[] = [
    { role: 'user', content: DEMONSTRATED_QUESTION },
    { role: 'assistant', content: JSON.stringify(DEMONSTRATED) },
  ];
  return [...told.slice(0, -1), ...answered, ...told.slice(-1)];
}

/**
 * Instructions come last, where small models follow them best, in the last question: many templates refuse
 * two messages of one speaker in a row.
 */
export function withInstructions(
  messages: readonly ModelMessage[],
  instructions: string,
): readonly ModelMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: instructions }];
  const { content } = last;
  const told =
    typeof content === 'string'
      ? `${content}\n\n${instructions}`
      : [...content, { type: 'text' as const, text: instructions }];
  return [...messages.slice(0, -1), { ...last, content: told }];
}

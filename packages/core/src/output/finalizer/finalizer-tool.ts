/**
 * Finalizer tool, with which an agent submits its answer: its name, its description, and the
 * envelope of its input. Pure.
 */
import { UsageError } from '../../errors/usage-error.ts';
import type { AnyOutputDefinition } from '../definition/definition.ts';
import { outputJsonSchema } from '../definition/output-json-schema.ts';
import { ENVELOPE_KEY } from '../judge/envelope.ts';
import { embedSchema } from '../../schema/engine/embed-schema.ts';

/** The tool's name, on every server that offers it. */
export const FINALIZER_NAME = 'submit_structured_output';

/**
 * The only key of the tool's input. A tool's input is always an object, and under this key an
 * answer can have any type.
 */
export const FINALIZER_KEY: typeof ENVELOPE_KEY = ENVELOPE_KEY;

/** Tool definition for models. */
export interface FinalizerTool {
  readonly name: typeof FINALIZER_NAME;
  readonly description: string;
  /** JSON Schema of the input `{ "output": … }`. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Purpose of the tool, in every tool list. */
export const FINALIZER_DESCRIPTION: string =
  'Hands in the final structured answer of this task, in `output`. Call it once, alone, after all other work is done. ' +
  'The answer is checked at once: when it is rejected, correct what is named and call the tool again; once it is accepted it is final, and nothing more can be handed in.';

/**
 * Creates the tool for the answer of a definition.
 *
 * @throws UsageError if the definition is text, or if its schema has no JSON Schema
 */
export function finalizerTool(definition: AnyOutputDefinition): FinalizerTool {
  const schema = outputJsonSchema(definition);
  if (schema === undefined) {
    throw new UsageError(
      `A text answer cannot be submitted with the tool \`${FINALIZER_NAME}\`. Set \`tag\`.`,
      { code: 'unsupported' },
    );
  }
  return {
    name: FINALIZER_NAME,
    description: FINALIZER_DESCRIPTION,
    inputSchema: embedSchema(schema, FINALIZER_KEY),
  };
}

/** Owns the tool by which an agent hands in its answer: its name, what it is told of it, and the envelope that its input travels in. Pure. */
import { UsageError } from '../../errors/usage-error.ts';
import type { AnyOutputDefinition } from '../definition.ts';
import { outputJsonSchema } from '../output-json-schema.ts';
import { embedSchema } from '../../schema/embed-schema.ts';

/** The tool's name, on every server that offers it. */
export const FINALIZER_NAME = 'submit_structured_output';

/** The one key of the tool's input. Under it an answer may be of any type, though a tool's input is always an object. */
export const FINALIZER_KEY = 'output';

/** A tool, as models are told of it. */
export interface FinalizerTool {
  readonly name: typeof FINALIZER_NAME;
  readonly description: string;
  /** JSON Schema of the input `{ "output": … }`. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

const DESCRIPTION =
  'Hands in the final structured answer of this task, in `output`. Call it once, alone, after all other work is done. ' +
  'The answer is checked at once: when it is rejected, correct what is named and call the tool again; once it is accepted it is final, and nothing more can be handed in.';

/**
 * Makes the tool that takes the answer of a definition.
 *
 * @throws UsageError when the definition is text, or its schema has no JSON Schema
 */
export function finalizerTool(definition: AnyOutputDefinition): FinalizerTool {
  const schema = outputJsonSchema(definition);
  if (schema === undefined) {
    throw new UsageError(
      `A text answer cannot be handed in by the tool \`${FINALIZER_NAME}\`. Give the output a \`tag\`.`,
      { code: 'unsupported' },
    );
  }
  return {
    name: FINALIZER_NAME,
    description: DESCRIPTION,
    inputSchema: embedSchema(schema, FINALIZER_KEY),
  };
}

/** Response format of an output definition, and the way back from the sent value. Pure. */
import { assertDefinition } from '@truecast/core/internal/output/definition/assert-definition';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { outputJsonSchema } from '@truecast/core/internal/output/definition/output-json-schema';
import { isObjectRoot, unwrapRoot, wrapRoot } from '@truecast/core/internal/schema/wrap-root';
import type { AskOptions } from './client-chat.ts';
import type { JsonSchemaFormat } from './wire/response-format.ts';

/** The format to send, and the function that unwraps its value. */
export interface AnswerFormat {
  readonly format: JsonSchemaFormat;
  readonly inverse: (value: unknown) => unknown;
}

export type AnswerFormatOptions = Pick<AskOptions<AnyOutputDefinition>, 'output' | 'name' | 'description'>;

/** Converts an output to a response format. @throws UsageError for `Output.string()` */
export function toAnswerFormat({ output, name = 'answer', description }: AnswerFormatOptions): AnswerFormat {
  assertDefinition(output, 'output');
  const schema = outputJsonSchema(output);
  if (schema === undefined) {
    throw new UsageError(
      'Expected `output` to have a JSON Schema, got `Output.string()`. Ask for an object with one string, or use `send()`.',
      { code: 'unsupported' },
    );
  }
  const isObject = typeof schema === 'object' && isObjectRoot(schema);
  return {
    format: {
      type: 'json_schema',
      json_schema: {
        name,
        ...(description !== undefined && { description }),
        schema: isObject ? { ...schema } : wrapRoot(schema),
      },
    },
    inverse: isObject ? (value) => value : unwrapRoot,
  };
}

/** Response format of an output definition, and the way back from the sent value. Pure. */
import { assertDefinition } from '@truecast/core/internal/output/definition/assert-definition';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { outputJsonSchema } from '@truecast/core/internal/output/definition/output-json-schema';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { outcomesOf } from '@truecast/core/internal/output/definition/outcome';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import {
  isObjectRoot,
  unwrapRoot,
  WRAPPED_ROOT_KEY,
  wrapRoot,
} from '@truecast/core/internal/schema/wrap-root';
import type { JsonSchemaFormat } from '../wire/response-format.ts';

/** Ways from the wire to the terms of an output. */
export interface OutputTerms {
  /** Unwraps a value. */
  readonly inverse: (value: unknown) => unknown;
  /** Returns the JSON Pointer into the unwrapped value. */
  readonly inversePath: (path: string) => string;
}

/** The format to send, and the functions that unwrap its value. */
export interface AnswerFormat extends OutputTerms {
  readonly format: JsonSchemaFormat;
  /** True if the answer is not an object, and is sent in one. */
  readonly isWrapped: boolean;
}

export interface AnswerFormatOptions {
  readonly output: AnyOutputDefinition;
  /** @default 'answer' */
  readonly name?: string;
  readonly description?: string;
}

/** Converts an output to a response format. @throws UsageError for `Output.string()` */
export function toAnswerFormat({ output, name = 'answer', description }: AnswerFormatOptions): AnswerFormat {
  assertDefinition(output, 'output');
  const schema = acceptingBare(outputJsonSchema(output), output);
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
    isWrapped: !isObject,
    inverse: isObject ? (value) => value : unwrapRoot,
    inversePath: isObject ? (path) => path : unwrapPath,
  };
}

/** The server judges by the JSON Schema alone, so an answer without its envelope must be in it. */
function acceptingBare(schema: JsonSchema | undefined, output: AnyOutputDefinition): JsonSchema | undefined {
  if (outcomesOf(output) === undefined || typeof schema !== 'object') return schema;
  const { anyOf } = schema;
  const branches: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [];
  const [answered] = branches;
  const own = propertiesOf(propertiesOf(answered)['answer']);
  // A loose schema of the answer would take a question for an empty answer.
  const others = branches.flatMap((branch) => Object.keys(propertiesOf(branch)));
  const foreign = others.filter((key) => !Object.hasOwn(own, key)).map((key) => ({ required: [key] }));
  const bare = {
    description: 'The answer alone',
    allOf: [{ $ref: '#/anyOf/0/properties/answer' }],
    ...(foreign.length > 0 && { not: { anyOf: foreign } }),
  };
  return { ...schema, anyOf: [...branches, bare] };
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return isRecord(properties) ? properties : {};
}

function unwrapPath(path: string): string {
  const wrapper = `/${WRAPPED_ROOT_KEY}`;
  return `${path}/`.startsWith(`${wrapper}/`) ? path.slice(wrapper.length) : path;
}

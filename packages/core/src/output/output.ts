/** `Output`: the helpers that define an answer. Pure. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isRecord } from '../kit/is-record.ts';
import type { JsonValue } from '../schema/json-value.ts';
import {
  assertChoices,
  assertSchema,
  assertSharedOptions,
  assertTag,
} from './definition/assert-output-options.ts';
import type {
  AnyOutputDefinition,
  OutputArrayDefinition,
  OutputChoiceDefinition,
  OutputJsonDefinition,
  OutputObjectDefinition,
  OutputOptions,
  OutputStringDefinition,
  SchemaAnswer,
} from './definition/definition.ts';
import { instructionsFor } from './definition/instructions.ts';
import { isKindName } from './definition/output-kinds.ts';

/** The helpers of `Output`. */
export interface OutputHelpers {
  /** Defines JSON that a schema validates. The answer has the schema's output type. */
  object<TSchema extends StandardSchemaV1>(
    options: OutputOptions<SchemaAnswer<TSchema>> & { readonly schema: TSchema },
  ): OutputObjectDefinition<SchemaAnswer<TSchema>>;
  /** Defines text, trimmed, without JSON and validation. Only a tag can carry it. */
  string(options: OutputOptions<string> & { readonly tag: string }): OutputStringDefinition;
  /** Defines a JSON array. Each element is validated, and an issue's path begins with its index. */
  array<TElement extends StandardSchemaV1>(
    options: OutputOptions<SchemaAnswer<TElement>[]> & { readonly element: TElement },
  ): OutputArrayDefinition<SchemaAnswer<TElement>>;
  /** Defines one of the given strings, in exact case, bare or as a JSON string. */
  choice<const TChoice extends string>(
    options: OutputOptions<TChoice> & { readonly options: readonly TChoice[] },
  ): OutputChoiceDefinition<TChoice>;
  /** Defines any JSON. */
  json(options?: OutputOptions<JsonValue>): OutputJsonDefinition;
  /**
   * Returns a short text for a custom prompt: the tag, the schema as a type, one example of the shape.
   */
  instructions(output: AnyOutputDefinition): string;
}

const BRAND = { '~output': {} } as const;

/**
 * Defines an answer. The same definition works for a coding agent, a model and a chat turn.
 *
 * Invalid definitions are rejected here, when they are created.
 *
 * @throws UsageError `invalid-definition`; `unsupported` by `instructions` for a schema that has no
 *   JSON Schema
 * @example
 * ```ts
 * const bug = Output.object({ tag: 'result', schema: z.object({ file: z.string(), line: z.number() }), maxCorrections: 2 });
 * const verdict = Output.choice({ tag: 'verdict', options: ['merge', 'reject'] });
 * console.log(Output.instructions(bug), Output.instructions(verdict));
 * ```
 */
export const Output: OutputHelpers = {
  object(options) {
    assertSharedOptions(options, 'object', ['schema']);
    assertSchema('schema', options.schema);
    return { ...options, schema: answering(options.schema), ...BRAND, _tag: 'object' };
  },
  string(options) {
    assertSharedOptions(options, 'string');
    assertTag(options.tag);
    return { ...options, ...BRAND, _tag: 'string' };
  },
  array(options) {
    assertSharedOptions(options, 'array', ['element']);
    assertSchema('element', options.element);
    return { ...options, element: answering(options.element), ...BRAND, _tag: 'array' };
  },
  choice(options) {
    assertSharedOptions(options, 'choice', ['options']);
    assertChoices(options.options);
    return { ...options, ...BRAND, _tag: 'choice' };
  },
  json(options = {}) {
    assertSharedOptions(options, 'json');
    return { ...options, ...BRAND, _tag: 'json' };
  },
  instructions: instructionsFor,
};

/** The schema itself. `SchemaAnswer` names its output type in another way. */
function answering<TSchema extends StandardSchemaV1>(
  schema: TSchema,
): StandardSchemaV1<unknown, SchemaAnswer<TSchema>> {
  return schema as StandardSchemaV1<unknown, SchemaAnswer<TSchema>>;
}

/**
 * Returns a definition that `Output` created, even in another copy of the package. A definition of
 * another library with the same shape is validated. Returns undefined for any other value.
 *
 * @throws UsageError `invalid-definition` for a foreign definition with invalid options
 */
export function toOutputDefinition(value: unknown): AnyOutputDefinition | undefined {
  if (isForeign(value, 'object') && 'schema' in value) return Output.object(withOwnName(value));
  if (isForeign(value, 'string')) return Output.string(withOwnName(value));
  return isOwnDefinition(value) ? value : undefined;
}

/** Returns a copy of Sandcastle's options, whose `maxRetries` are our `maxCorrections`. */
export function withOwnName<TOptions extends object>(options: TOptions): TOptions {
  const copy = { ...options };
  const { maxRetries }: { readonly maxRetries?: unknown } = options;
  Reflect.deleteProperty(copy, 'maxRetries');
  if (maxRetries !== undefined) Reflect.set(copy, 'maxCorrections', maxRetries);
  return copy;
}

function isOwnDefinition(value: unknown): value is AnyOutputDefinition {
  return isRecord(value) && '~output' in value && isKindName(value['_tag']);
}

function isForeign<TKind extends AnyOutputDefinition['_tag']>(
  value: unknown,
  kind: TKind,
): value is Extract<AnyOutputDefinition, { readonly _tag: TKind }> & { readonly tag: string } {
  return isRecord(value) && !('~output' in value) && value['_tag'] === kind && 'tag' in value;
}

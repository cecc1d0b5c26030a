/** `Output`: the helpers that define an answer. Pure. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isRecord } from '../kit/is-record.ts';
import type { JsonValue } from '../kit/json-value.ts';
import {
  assertChoices,
  assertOutcomeOptions,
  assertSchema,
  assertSharedOptions,
  assertTag,
  OUTCOME_OPTIONS,
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
import type {
  AllowedOutcome,
  AnswerOnly,
  Outcome,
  OutcomeChoice,
  OutcomeOptions,
} from './definition/outcome.ts';
import { outcomeSchema } from './judge/outcome-schema.ts';

/** The helpers of `Output`. */
export interface OutputHelpers {
  /**
   * Defines JSON that a schema validates, and allows a question (`question: true`) or a refusal
   * (`decline: true`). The output is the outcome.
   */
  object<
    TSchema extends StandardSchemaV1,
    TQuestion extends true | StandardSchemaV1 | undefined = undefined,
    TDecline extends true | undefined = undefined,
  >(
    options: OutputOptions<SchemaAnswer<TSchema>> &
      OutcomeOptions<TQuestion, TDecline> & { readonly schema: TSchema },
  ): OutputObjectDefinition<AllowedOutcome<SchemaAnswer<TSchema>, TQuestion, TDecline>>;
  /** Defines JSON that a schema validates. The answer has the schema's output type. */
  object<TSchema extends StandardSchemaV1>(
    options: OutputOptions<SchemaAnswer<TSchema>> & AnswerOnly & { readonly schema: TSchema },
  ): OutputObjectDefinition<SchemaAnswer<TSchema>>;
  /** Defines text, trimmed, without JSON and validation. Only a tag can carry it. */
  string(options: OutputOptions<string> & { readonly tag: string }): OutputStringDefinition;
  /** Defines a JSON array, and allows a question or a refusal. */
  array<
    TElement extends StandardSchemaV1,
    TQuestion extends true | StandardSchemaV1 | undefined = undefined,
    TDecline extends true | undefined = undefined,
  >(
    options: OutputOptions<SchemaAnswer<TElement>[]> &
      OutcomeOptions<TQuestion, TDecline> & { readonly element: TElement },
  ): OutputObjectDefinition<AllowedOutcome<SchemaAnswer<TElement>[], TQuestion, TDecline>>;
  /** Defines a JSON array. Each element is validated, and an issue's path begins with its index. */
  array<TElement extends StandardSchemaV1>(
    options: OutputOptions<SchemaAnswer<TElement>[]> & AnswerOnly & { readonly element: TElement },
  ): OutputArrayDefinition<SchemaAnswer<TElement>>;
  /** Defines one of the given strings, and allows a question or a refusal. */
  choice<
    const TChoice extends string,
    TQuestion extends true | StandardSchemaV1 | undefined = undefined,
    TDecline extends true | undefined = undefined,
  >(
    options: OutputOptions<TChoice> &
      OutcomeOptions<TQuestion, TDecline> & { readonly options: readonly TChoice[] },
  ): OutputObjectDefinition<AllowedOutcome<TChoice, TQuestion, TDecline>>;
  /** Defines one of the given strings, in exact case, bare or as a JSON string. */
  choice<const TChoice extends string>(
    options: OutputOptions<TChoice> & AnswerOnly & { readonly options: readonly TChoice[] },
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
  object: defineObject as OutputHelpers['object'],
  string(options) {
    assertSharedOptions(options, 'string');
    assertTag(options.tag);
    return { ...options, ...BRAND, _tag: 'string' };
  },
  array: defineArray as OutputHelpers['array'],
  choice: defineChoice as OutputHelpers['choice'],
  json(options = {}) {
    assertSharedOptions(options, 'json');
    return { ...options, ...BRAND, _tag: 'json' };
  },
  instructions: instructionsFor,
};

/** Options of a helper that can allow other outcomes. Its type of the answer is in `OutputHelpers` only. */
type Allowing<TOwn> = OutputOptions<unknown> & OutcomeChoice & TOwn;

function defineObject(options: Allowing<{ readonly schema: StandardSchemaV1 }>): AnyOutputDefinition {
  assertSharedOptions(options, 'object', ['schema', ...OUTCOME_OPTIONS]);
  assertSchema('schema', options.schema);
  return allowing(options, (own) => ({ ...own, ...BRAND, _tag: 'object' }));
}

function defineArray(options: Allowing<{ readonly element: StandardSchemaV1 }>): AnyOutputDefinition {
  assertSharedOptions(options, 'array', ['element', ...OUTCOME_OPTIONS]);
  assertSchema('element', options.element);
  return allowing(options, (own) => ({ ...own, ...BRAND, _tag: 'array' }));
}

function defineChoice(options: Allowing<{ readonly options: readonly string[] }>): AnyOutputDefinition {
  assertSharedOptions(options, 'choice', ['options', ...OUTCOME_OPTIONS]);
  assertChoices(options.options);
  return allowing(options, (own) => ({ ...own, ...BRAND, _tag: 'choice' }));
}

/** Defines an answer, or the outcomes that the options allow: an object whose schema has all of them. */
function allowing<TOptions extends Allowing<object>>(
  { question, decline, ...own }: TOptions,
  define: (own: Omit<TOptions, keyof OutcomeChoice>) => AnyOutputDefinition,
): AnyOutputDefinition {
  assertOutcomeOptions({ question, decline });
  const answer = define(own);
  if (question === undefined && decline === undefined) return answer;
  const { tag, maxCorrections, mode, retry, maxPayloadBytes, check } = answer;
  const shared = { tag, maxCorrections, mode, retry, maxPayloadBytes };
  const given = Object.fromEntries(Object.entries(shared).filter(([, value]) => value !== undefined));
  const asked = question === undefined || question === true ? question : Output.object({ schema: question });
  return {
    ...given,
    ...(check !== undefined && { check: ofAnswers(check) }),
    schema: outcomeSchema({ answer, question: asked, declines: decline === true }),
    ...BRAND,
    _tag: 'object',
  };
}

type AnyCheck = NonNullable<OutputOptions<unknown>['check']>;

/** Only an answer is checked: nothing of a question or a refusal is used. */
function ofAnswers(check: AnyCheck): NonNullable<OutputOptions<Outcome<unknown, unknown>>['check']> {
  return (outcome, context) => (outcome.outcome === 'answered' ? check(outcome.answer, context) : undefined);
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

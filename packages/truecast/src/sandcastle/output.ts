/** `Output` of `truecast/sandcastle`, with Sandcastle's `maxRetries`. */
import {
  Output as OwnOutput,
  type OutputDefinition as OwnDefinition,
  type OutputHelpers,
  type OutputObjectDefinition as OwnObjectDefinition,
  type OutputOptions,
  type OutputStringDefinition as OwnStringDefinition,
  type SchemaAnswer,
} from '@truecast/core';
import { withOwnName } from '@truecast/core/internal/output/output';

/** Sandcastle's word for `maxCorrections`. */
interface Retries {
  /** Attempts after the first, which correct a wrong answer. @default 0 */
  readonly maxRetries?: number;
}

type AnySchema = OwnObjectDefinition<unknown>['schema'];

type Options<TOutput> = Omit<OutputOptions<TOutput>, 'maxCorrections'> & Retries;

/** Definition of JSON that a schema validates. */
export interface FlatObjectDefinition<TOutput> extends OwnObjectDefinition<TOutput>, Retries {}

/** Definition of text. */
export interface FlatStringDefinition extends OwnStringDefinition, Retries {}

/** Definition of an answer. */
export type FlatOutputDefinition = OwnDefinition & Retries;

/** The helpers of `Output`. */
export interface SandcastleOutput extends Omit<OutputHelpers, 'object' | 'string'> {
  /** Defines JSON that a schema validates. The answer has the schema's output type. */
  object<TSchema extends AnySchema>(
    options: Options<SchemaAnswer<TSchema>> & { readonly schema: TSchema },
  ): FlatObjectDefinition<SchemaAnswer<TSchema>>;
  /** Defines text, trimmed, without JSON and validation. Only a tag can carry it. */
  string(options: Options<string> & { readonly tag: string }): FlatStringDefinition;
}

/**
 * Defines an answer like `Output` of `truecast`. `maxRetries` has the meaning of `maxCorrections`.
 *
 * @throws the errors of `Output` of `truecast`
 *
 * @example
 * ```ts
 * const plan = Output.object({ tag: 'plan', schema: z.object({ steps: z.array(z.string()) }), maxRetries: 2 });
 * console.log(plan.maxRetries);
 * ```
 * @public
 */
export const FlatOutput: SandcastleOutput = {
  ...OwnOutput,
  object: (options) => ({ ...OwnOutput.object(inOwnWords(options)), ...retriesOf(options) }),
  string: (options) => ({ ...OwnOutput.string(inOwnWords(options)), ...retriesOf(options) }),
};

/** Values that are not an object of options are refused later. */
function inOwnWords<TOptions extends object>(options: TOptions): TOptions {
  return typeof options === 'object' && options !== null ? withOwnName(options) : options;
}

function retriesOf({ maxRetries }: Retries): Retries {
  return maxRetries === undefined ? {} : { maxRetries };
}

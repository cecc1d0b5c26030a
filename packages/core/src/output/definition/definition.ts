/** Definition of an answer: the requested answer and its type. All of it is public. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonValue } from '../../kit/json-value.ts';
import type { AnswerMode } from './provenance.ts';

/**
 * Services for a check. In a `run()` it works in the agent's worktree and sandbox first, and then on
 * a clean checkout of the agent's final commit.
 */
export interface OutputCheckContext {
  /** The worktree's path on the host. */
  readonly worktreePath: string;
  /** Runs a shell command in the worktree, in the sandbox around it. */
  exec(
    command: string,
  ): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }>;
  readonly signal: AbortSignal;
}

/** Options shared by every helper of `Output`. */
export interface OutputOptions<TOutput> {
  /**
   * Tag that contains the answer. If absent, the answer is asked for by `mode`, or by the best that the
   * agent supports.
   */
  readonly tag?: string;
  /** Attempts after the first; 0 disables retries. @default 0 in `run()`, 2 in `generate()` */
  readonly maxCorrections?: number;
  /** Mode of an answer without a tag: `native`, `mcp`, `tool` or `json`. @default the best that the model or agent supports */
  readonly mode?: Exclude<AnswerMode, 'tool_auto'>;
  /**
   * Session of a retry: continues the agent's session, or starts a new one with the previous answer
   * in its prompt. @default "resume"
   */
  readonly retry?: 'resume' | 'fresh';
  /** Size limit of an answer, in bytes of UTF-8. @default 16 MiB */
  readonly maxPayloadBytes?: number;
  /**
   * Validates a value that its schema accepted. A returned message is sent back to the agent like
   * an issue of the schema.
   */
  check?(value: TOutput, context: OutputCheckContext): Promise<string | undefined> | string | undefined;
}

interface DefinitionBase<TOutput> extends OutputOptions<TOutput> {
  /** Carries the type of the answer. It contains no data. */
  readonly '~output'?: { readonly type?: TOutput };
}

/** Created by `Output.object()`: JSON, validated by a schema. */
export interface OutputObjectDefinition<TOutput> extends DefinitionBase<TOutput> {
  readonly _tag: 'object';
  readonly schema: StandardSchemaV1<unknown, TOutput>;
}

/** Created by `Output.string()`: text, trimmed. */
export interface OutputStringDefinition extends DefinitionBase<string> {
  readonly _tag: 'string';
}

/** Created by `Output.array()`: a JSON array, each element validated. */
export interface OutputArrayDefinition<TElement> extends DefinitionBase<TElement[]> {
  readonly _tag: 'array';
  readonly element: StandardSchemaV1<unknown, TElement>;
}

/** Created by `Output.choice()`: one of the given strings. */
export interface OutputChoiceDefinition<TChoice extends string> extends DefinitionBase<TChoice> {
  readonly _tag: 'choice';
  readonly options: readonly TChoice[];
}

/** Created by `Output.json()`: any JSON. */
export interface OutputJsonDefinition extends DefinitionBase<JsonValue> {
  readonly _tag: 'json';
}

/** Definition of an answer. Created by the helpers of `Output`, and accepted by every route. */
export type AnyOutputDefinition =
  | OutputObjectDefinition<unknown>
  | OutputStringDefinition
  | OutputArrayDefinition<unknown>
  | OutputChoiceDefinition<string>
  | OutputJsonDefinition;

/** Definition of an answer of the type `TOutput`. */
export type OutputDefinition<TOutput = unknown> = AnyOutputDefinition & {
  readonly '~output'?: { readonly type?: TOutput };
};

/**
 * Output type of a schema. In a function that is generic over `z.ZodType`, TypeScript compares this type with
 * `z.infer<T>` by its form. So the condition must have Zod's own form, with the type of an unchecked value.
 * `JSON.parse()` returns that type. An answer never has it.
 */
export type SchemaAnswer<TSchema> = TSchema extends { _zod: { output: ReturnType<JSON['parse']> } }
  ? TSchema['_zod']['output']
  : TSchema extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<TSchema>
    : never;

/** Answer type of a definition. One without `~output` comes from another library. */
export type InferOutput<TDefinition> = TDefinition extends unknown
  ? '~output' extends keyof TDefinition
    ? CarriedOutput<TDefinition>
    : SchemaOutput<TDefinition>
  : never;

type CarriedOutput<TDefinition> = TDefinition extends {
  readonly '~output'?: { readonly type?: infer TOutput };
}
  ? TOutput
  : never;

type SchemaOutput<TDefinition> = TDefinition extends {
  readonly _tag: 'object';
  readonly schema: StandardSchemaV1<unknown, infer TOutput>;
}
  ? TOutput
  : TDefinition extends { readonly _tag: 'string' }
    ? string
    : never;

/**
 * A value of which any part can still be missing. Strings and arrays can be shorter than the final
 * ones.
 */
export type DeepPartial<TValue> = TValue extends readonly (infer TItem)[]
  ? DeepPartial<TItem>[]
  : TValue extends object
    ? { [TKey in keyof TValue]?: DeepPartial<TValue[TKey]> }
    : TValue;

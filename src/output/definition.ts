/** Owns the types of an answer's definition: what the caller asks for, and the type that comes back. Pure. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonValue } from '../schema/json-value.ts';

/** How the answer travels when the definition has no tag. */
export type Via = 'tag' | 'native' | 'mcp' | 'tool' | 'json';

/** What a check may use; in a `run()` it works in the agent's worktree and sandbox. */
export interface OutputCheckContext {
  /** The worktree's path on the host. */
  readonly worktreePath: string;
  /** Runs a shell command in the agent's sandbox, in the worktree. */
  exec(
    command: string,
  ): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }>;
  readonly signal: AbortSignal;
}

/** What every helper of `Output` takes beside its own options. */
export interface OutputOptions<TOutput> {
  /** Tag whose content is the answer; absent, the answer takes the route of `via`, or the best that the agent has. */
  readonly tag?: string;
  /** Attempts after the first; 0 is none. @default 0 in `run()`, 2 in `generate()` */
  readonly maxRetries?: number;
  /** Route of an answer without a tag. @default the best that the model or agent has */
  readonly via?: Via;
  /** What a retry continues: the agent's session, or a fresh one that is told the previous answer. @default "resume" */
  readonly retry?: 'resume' | 'fresh';
  /** Largest answer that is read, in bytes of UTF-8. @default 16 MiB */
  readonly maxPayloadBytes?: number;
  /** Judges a value that its schema accepted; a returned message goes back to the agent like an issue of the schema. */
  check?(value: TOutput, context: OutputCheckContext): Promise<string | undefined> | string | undefined;
}

interface DefinitionBase<TOutput> extends OutputOptions<TOutput> {
  /** Brands the definition and carries its type; there is nothing to read in it. */
  readonly '~output': { readonly type?: TOutput };
}

/** Made by `Output.object()`: JSON, validated by a schema. */
export interface OutputObjectDefinition<TOutput> extends DefinitionBase<TOutput> {
  readonly _tag: 'object';
  readonly schema: StandardSchemaV1<unknown, TOutput>;
}

/** Made by `Output.string()`: text, trimmed. */
export interface OutputStringDefinition extends DefinitionBase<string> {
  readonly _tag: 'string';
}

/** Made by `Output.array()`: a JSON array, each element validated. */
export interface OutputArrayDefinition<TElement> extends DefinitionBase<TElement[]> {
  readonly _tag: 'array';
  readonly element: StandardSchemaV1<unknown, TElement>;
}

/** Made by `Output.choice()`: one of the given strings. */
export interface OutputChoiceDefinition<TChoice extends string> extends DefinitionBase<TChoice> {
  readonly _tag: 'choice';
  readonly options: readonly TChoice[];
}

/** Made by `Output.json()`: any JSON. */
export interface OutputJsonDefinition extends DefinitionBase<JsonValue> {
  readonly _tag: 'json';
}

/** What an answer must be: made by the helpers of `Output`, taken by every route. */
export type AnyOutputDefinition =
  | OutputObjectDefinition<unknown>
  | OutputStringDefinition
  | OutputArrayDefinition<unknown>
  | OutputChoiceDefinition<string>
  | OutputJsonDefinition;

/** What an answer of the type `TOutput` must be. */
export type OutputDefinition<TOutput = unknown> = AnyOutputDefinition & {
  readonly '~output': { readonly type?: TOutput };
};

/** The type of the answer that a definition asks for. */
export type InferOutput<TDefinition> = TDefinition extends {
  readonly '~output': { readonly type?: infer TOutput };
}
  ? TOutput
  : never;

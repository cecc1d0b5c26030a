/** Tools of `generate()`: the form in which a program gives them, and what they get. */
import type { StandardSchemaV1 } from '@standard-schema/spec';

/** Context of a running tool. */
export interface GenerateToolContext {
  readonly toolCallId: string;
  /** Aborted at the tool's `timeoutMs`, and with the `signal` of the call. */
  readonly signal: AbortSignal;
  /** The same as `signal`, with the AI SDK's name. */
  readonly abortSignal: AbortSignal;
  /** The conversation before this step. The AI SDK's tools give it a type. */
  readonly messages: never[];
  /** Always empty, for tools of the AI SDK. */
  readonly context: Record<string, never>;
}

/** `jsonSchema()`, `zodSchema()` and others of the AI SDK. */
export interface SdkToolSchema<TInput = unknown> {
  readonly jsonSchema: object | PromiseLike<object>;
  readonly validate?: (value: unknown) => unknown;
  readonly _type?: TInput;
}

/**
 * A tool that the model can call. A `tool()` of the AI SDK is one.
 *
 * @example
 * ```ts
 * const stock = {
 *   description: 'Counts the pieces of an article.',
 *   inputSchema: z.object({ article: z.string() }),
 *   execute: ({ article }: { article: string }) => ({ article, pieces: 7 }),
 * };
 * ```
 */
export interface GenerateTool<TInput = never> {
  /** Describes the tool to the model. A function, as in the AI SDK, is refused. */
  readonly description?: string | ((options: never) => string);
  /** Schema of the input: a Standard Schema with a JSON Schema, or `jsonSchema()` of the AI SDK. */
  readonly inputSchema: ToolSchema<[TInput] extends [never] ? unknown : TInput>;
  /**
   * Runs the tool with a valid input. The model gets the result as text, a string unchanged and other
   * values as JSON, at most 65,536 characters. It also gets the message of an exception.
   */
  execute(input: TInput, context: GenerateToolContext): unknown;
  /** Maximum milliseconds of one call. After that, the model gets an error as the result. @default 60_000 */
  readonly timeoutMs?: number;
}

type ToolSchema<TInput> =
  | StandardSchemaV1<unknown, TInput>
  | SdkToolSchema<TInput>
  | (() => SdkToolSchema<TInput>);

/** Tools by name. */
export type GenerateTools = Readonly<Record<string, GenerateTool>>;

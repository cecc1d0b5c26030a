/** Owns how a program that embeds the server declares tools of its own: by any Standard Schema. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ToolCallContext, ToolTraits } from './tool-traits.ts';

/** A tool that runs in the process of the server when a model calls it. */
export interface OwnTool<TInput = unknown> extends ToolTraits {
  readonly description?: string;
  /** Holds the arguments; a call with others is answered with what is wrong, and nothing runs. */
  readonly inputSchema: StandardSchemaV1<unknown, TInput>;
  /** Returns any JSON. What it throws is told to the model as an error. */
  execute(input: TInput, context: ToolCallContext): unknown;
}

/** Tools by name. */
export type OwnTools = Readonly<Record<string, OwnTool>>;

/**
 * Declares a tool, the type of its input taken from its schema.
 *
 * @example
 * ```ts
 * const stock = serverTool({
 *   description: 'Tells how many of an article there are.',
 *   inputSchema: z.object({ article: z.string() }),
 *   isReadOnly: true,
 *   execute: ({ article }, { ownerId }) => ({ article, count: ownerId === '' ? 0 : 7 }),
 * });
 * const server = await createServer({ tools: { stock } });
 * ```
 */
export function serverTool<TInput>(tool: OwnTool<TInput>): OwnTool {
  return tool;
}

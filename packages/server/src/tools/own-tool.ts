/** Custom tools of a program that embeds the server, with any Standard Schema. */
import { UsageError, assertKind } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ToolCallContext, ToolTraits } from './tool-traits.ts';

/** A tool that runs in the server process when a model calls it. */
export interface OwnTool<TInput = unknown> extends ToolTraits {
  readonly description?: string;
  /**
   * Validates the arguments. Invalid arguments are answered with their issues, and the tool does
   * not run.
   */
  readonly inputSchema: StandardSchemaV1<unknown, TInput>;
  /** Returns any JSON value. A thrown error is sent to the model as an error result. */
  execute(input: TInput, context: ToolCallContext): unknown;
}

/** Tools by name. */
export type OwnTools = Readonly<Record<string, OwnTool>>;

const NAMES: OptionNames<OwnTool> = {
  description: true,
  inputSchema: true,
  execute: true,
  readOnlyHint: true,
  idempotentHint: true,
  isExclusive: true,
  isStopAfter: true,
  tellsWhenStopped: true,
};

/** Rejects a mistyped trait, which would have no effect. A class has members of its own. @throws UsageError */
export function assertKnownMembers(tool: object, of: string): void {
  if (Object.getPrototypeOf(tool) === Object.prototype) assertKnownOptions(tool, { of, names: NAMES });
}

/**
 * Declares a tool whose input type is inferred from its schema.
 *
 * @example
 * ```ts
 * const stock = tool({
 *   description: 'Tells how many of an article there are.',
 *   inputSchema: z.object({ article: z.string() }),
 *   readOnlyHint: true,
 *   execute: ({ article }, { ownerId }) => ({ article, count: ownerId === '' ? 0 : 7 }),
 * });
 * const server = await createChatServer({ tools: { stock } });
 * ```
 * @public
 */
export function tool<TInput>(tool: OwnTool<TInput>): OwnTool {
  assertKind(tool, 'an object', 'tool', 'Pass `{ description, inputSchema, execute }`.');
  assertKnownMembers(tool, '`tool()`');
  if (tool.inputSchema === undefined) {
    throw new UsageError(
      'Expected `inputSchema` to be a schema, got `undefined`. Pass one, such as `z.object({})`.',
    );
  }
  assertKind(tool.execute, 'a function', 'execute', 'Write `execute: async (input) => …`.');
  return tool;
}

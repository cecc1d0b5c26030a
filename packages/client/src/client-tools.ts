/** Client-side tools of a chat: described to the server, executed here, results sent back. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { parseBoundedJson } from '@truecast/core/internal/json/bounded-json';
import { toJsonSchema } from '@truecast/core/internal/schema/to-json-schema';
import type { DynamicTool } from './wire/chat.ts';
import type { ToolResultsBody } from './wire/message.ts';
import type { ActionRequiredEvent } from './wire/stream-event.ts';

/** Context of a tool call. */
export interface ClientToolContext {
  readonly toolCallId: string;
  readonly signal: AbortSignal;
}

/** A tool that runs in this program when a model calls it. */
export interface ClientTool<TInput = unknown> {
  readonly description?: string;
  /**
   * Validates the arguments. Invalid ones are answered with their issues, and the tool does not
   * run.
   */
  readonly inputSchema: StandardSchemaV1<unknown, TInput>;
  /** Returns any JSON value. A thrown error is sent to the model as an error result. */
  execute(input: TInput, context: ClientToolContext): unknown;
}

/** Tools by name. */
export type ClientTools = Readonly<Record<string, ClientTool>>;

/**
 * Declares a tool whose input type is inferred from its schema.
 *
 * @example
 * ```ts
 * const look = tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => ({ city, degrees: 21 }) });
 * const chat = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' }).chat({ tools: { look } });
 * ```
 * @public
 */
export function tool<TInput>(tool: ClientTool<TInput>): ClientTool {
  return tool;
}

/** Describes the tools in the server's format. @throws UsageError if a schema has no JSON Schema */
export function describeTools(tools: ClientTools): DynamicTool[] {
  return Object.entries(tools).map(([name, { description, inputSchema }]) => {
    const schema = toJsonSchema(inputSchema);
    return {
      name,
      ...(description !== undefined && { description }),
      input_schema: typeof schema === 'object' ? schema : {},
    };
  });
}

type Call = ActionRequiredEvent['tool_calls'][number];
type Result = ToolResultsBody['results'][number];

/**
 * Runs all calls concurrently. Each has a result, whatever happens. Returns undefined if another
 * client owns a tool.
 */
export async function runTools(
  tools: ClientTools,
  calls: readonly Call[],
  signal: AbortSignal,
): Promise<readonly Result[] | undefined> {
  const isOurs = calls.every(({ tool_name }) => Object.hasOwn(tools, tool_name));
  if (!isOurs) return undefined;
  return Promise.all(calls.map((call) => runTool(tools[call.tool_name], call, signal)));
}

async function runTool(
  tool: ClientTool | undefined,
  { tool_call_id, tool_name, args }: Call,
  signal: AbortSignal,
): Promise<Result> {
  const fail = (message: string): Result => ({ tool_call_id, output: { error: message }, is_error: true });
  if (tool === undefined) return fail(`There is no tool ${tool_name}.`);
  const parsed = parseBoundedJson(args);
  if (!parsed.success) return fail(`The arguments are not JSON: ${parsed.reason}.`);
  try {
    const judged = await tool.inputSchema['~standard'].validate(parsed.value);
    if (judged.issues !== undefined) {
      return fail(
        `The arguments do not match the schema: ${judged.issues.map(({ message }) => message).join('; ')}`,
      );
    }
    const output = await tool.execute(judged.value, { toolCallId: tool_call_id, signal });
    return { tool_call_id, output: output ?? null };
  } catch (error) {
    signal.throwIfAborted();
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/** One call of a tool: validated, bounded in time and in size. An exception becomes the result. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { untilAborted } from '@truecast/core/internal/kit/until-aborted';
import { clip, cut } from '@truecast/core/internal/kit/describe-value';
import { showPath } from '@truecast/core/internal/json/show-path';
import { normalizeIssues, validateBySchema } from '@truecast/core/internal/output/judge/validate-by-schema';
import type { GenerateToolContext } from './generate-tool.ts';
import type { ReadyTool } from './read-tools.ts';

/** Result of a call, as the model reads it. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface RunningCall {
  readonly toolCallId: string;
  /** Ends the call, and the answer. */
  readonly signal: AbortSignal | undefined;
  readonly messages: readonly unknown[];
  /** Removes secrets from the message of an exception. */
  mask(text: string): string;
  /** Removes secrets from a result, before it is cut. @default the result is unchanged */
  readonly maskResult?: (text: string) => string;
}

/** Maximum length of a result, in UTF-16 units. */
const MAX_RESULT_CHARS = 65_536;
const MAX_ERROR_CHARS = 2_000;
const MAX_ISSUES = 8;

/** Runs a tool. Rejects only with the reason of the caller's signal. */
export async function runTool(tool: ReadyTool, input: unknown, call: RunningCall): Promise<ToolResult> {
  const { signal, mask } = call;
  const limit = new AbortController();
  // A timer that keeps the process alive: the tool itself can wait for nothing.
  const timer = setTimeout(() => limit.abort(), tool.timeoutMs);
  const either = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
  try {
    return await untilAborted(validateAndRun(tool, input, call, either), either);
  } catch (error) {
    signal?.throwIfAborted();
    const said = error instanceof Error ? error.message : String(error);
    const why = limit.signal.aborted ? `It did not end within ${tool.timeoutMs} ms.` : mask(said);
    return failed(`The tool failed: ${clip(why, MAX_ERROR_CHARS)}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns an error as the result of a call. */
export function failed(text: string): ToolResult {
  return { text, isError: true };
}

async function validateAndRun(
  { name, schema, execute }: ReadyTool,
  input: unknown,
  call: RunningCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const valid = await validateBySchema(schema, input);
  if (valid.issues !== undefined) {
    const issues = normalizeIssues(valid.issues).slice(0, MAX_ISSUES);
    const lines = issues.map(({ path, message }) => `- ${showPath(path)}: ${cut(call.mask(message))}`);
    return failed(
      [`The arguments of \`${name}\` do not fit its schema, so it did not run:`, ...lines].join('\n'),
    );
  }
  // A call that has ended changes nothing.
  signal.throwIfAborted();
  // The tool's own schema has accepted the value, which has the type that it takes.
  const text = toText(await execute(valid.value as never, toolContext(call, signal)));
  return { text: cutResult(text, call.maskResult ?? String), isError: false };
}

function toolContext({ toolCallId, messages }: RunningCall, signal: AbortSignal): GenerateToolContext {
  // Tools of the AI SDK type the messages.
  return { toolCallId, signal, abortSignal: signal, messages: [...messages] as never[], context: {} };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value);
}

/** Masks and cuts a result. Behind the cut, as much again is masked: a secret can end there. */
function cutResult(text: string, mask: (text: string) => string): string {
  if (text.length <= MAX_RESULT_CHARS) return mask(text);
  const notice = ` (cut: the result has ${text.length} characters. Ask for a smaller part.)`;
  const start = mask(clip(text, 2 * MAX_RESULT_CHARS));
  return `${clip(start, MAX_RESULT_CHARS - notice.length)}${notice}`;
}

function toJson(value: unknown): string {
  if (typeof value === 'object' && value !== null && Symbol.asyncIterator in value) {
    throw new UsageError('The tool returned a stream, which is not supported. Return one result.');
  }
  // A function or nothing at all has no JSON.
  return JSON.stringify(value) ?? 'null';
}

/** Schemas of Pi's JSON lines. Pure. */
import { z } from 'zod';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';

/** Token counts and cost of one message. */
export interface PiUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: { readonly total: number };
}

/** One block of an assistant message. */
type PiBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'other' };

/** A complete assistant message. */
export interface PiMessage {
  readonly content: readonly PiBlock[];
  readonly model?: string | undefined;
  readonly usage?: PiUsage | undefined;
  readonly stopReason?: string | undefined;
  readonly errorMessage?: string | undefined;
}

export type PiLine =
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'message_end'; readonly message: PiMessage }
  | {
      readonly type: 'tool_execution_start';
      readonly toolCallId?: string | undefined;
      readonly toolName: string;
      readonly args?: unknown;
    }
  | {
      readonly type: 'tool_execution_end';
      readonly toolCallId?: string | undefined;
      readonly result: { readonly content?: unknown };
      readonly isError: boolean;
    }
  | { readonly type: 'agent_end' }
  | {
      readonly type: 'auto_retry_start';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly errorMessage: string;
    }
  | { readonly type: 'auto_retry_end'; readonly success: boolean };

const count = z.number().nonnegative().catch(0);

const usage: z.ZodType<PiUsage> = z.object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  cost: z.object({ total: count }).catch({ total: 0 }),
});

const block: z.ZodType<PiBlock> = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({ type: z.string() }).transform(() => ({ type: 'other' }) as const),
]);

const assistantMessage: z.ZodType<PiMessage> = z.object({
  role: z.literal('assistant'),
  content: z.array(block).catch([]),
  model: z.string().optional().catch(undefined),
  usage: usage.optional().catch(undefined),
  stopReason: z.string().optional().catch(undefined),
  errorMessage: z.string().optional().catch(undefined),
});

const optionalText = z.string().optional().catch(undefined);

const piLine: z.ZodType<PiLine> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session'), id: z.string() }),
  z.object({ type: z.literal('message_end'), message: assistantMessage }),
  z.object({
    type: z.literal('tool_execution_start'),
    toolCallId: optionalText,
    toolName: z.string(),
    args: z.unknown().optional(),
  }),
  z.object({
    type: z.literal('tool_execution_end'),
    toolCallId: optionalText,
    result: z.object({ content: z.unknown().optional() }).catch({}),
    isError: z.boolean().catch(false),
  }),
  z.object({ type: z.literal('agent_end') }),
  z.object({
    type: z.literal('auto_retry_start'),
    attempt: count,
    maxAttempts: count,
    errorMessage: z.string().catch(''),
  }),
  z.object({ type: z.literal('auto_retry_end'), success: z.boolean() }),
]);

/** Parses a line's value. Returns undefined if the line is not relevant. */
export function readPiLine(value: unknown): PiLine | undefined {
  return piLine.safeParse(value).data;
}

/** A streamed piece of text or thinking. */
export interface PiDelta {
  readonly type: 'text' | 'thinking';
  readonly text: string;
}

/**
 * Returns the delta of a `message_update`, or undefined for any other line or update.
 *
 * In version 0.73, each such line repeats the message so far twice. Full parsing would be quadratic
 * in the message length. This function reads only the head of the line. A line with another key
 * order returns undefined, and its text is reported when its message ends.
 */
export function readPiDelta(line: string): PiDelta | undefined {
  const head = DELTA_HEAD.exec(line);
  if (head?.[1] !== 'text' && head?.[1] !== 'thinking') return undefined;
  const text = jsonValueOf(stringAt(line, head[0].length) ?? '');
  return typeof text === 'string' ? { type: head[1], text } : undefined;
}

/** Limit of one delta. A longer delta is reported when its message ends. */
const MAX_DELTA_CHARS = 1_000_000;
/** In later versions, the usage so far comes first. */
const DELTA_HEAD =
  /^\{"type":"message_update",(?:"usage":\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\},)?"assistantMessageEvent":\{"type":"(text|thinking)_delta","contentIndex":\d+,"delta":/u;
const QUOTE_OR_ESCAPE = /["\\]/gu;

/** Returns the JSON string that begins at `start`, including its quotes. */
function stringAt(line: string, start: number): string | undefined {
  const head = line.slice(start, start + MAX_DELTA_CHARS);
  if (!head.startsWith('"')) return undefined;
  for (let at = 1; ;) {
    QUOTE_OR_ESCAPE.lastIndex = at;
    const found = QUOTE_OR_ESCAPE.exec(head);
    if (found === null) return undefined;
    if (found[0] === '"') return head.slice(0, found.index + 1);
    at = found.index + 2;
  }
}

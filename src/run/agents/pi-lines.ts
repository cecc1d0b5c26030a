/** Owns the shapes of Pi's JSON lines. Pure. */
import { z } from 'zod';
import { parseJson } from './json-line-parser.ts';

/** Tokens and money of one message. */
export interface PiUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: { readonly total: number };
}

/** One piece of an assistant's message. */
type PiBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'other' };

/** An assistant's message, whole. */
export interface PiMessage {
  readonly content: readonly PiBlock[];
  readonly model?: string | undefined;
  readonly usage?: PiUsage | undefined;
  readonly stopReason?: string | undefined;
  readonly errorMessage?: string | undefined;
}

/** A line of interest. */
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

/** Reads a line's value, or returns undefined where it is of no interest. */
export function readPiLine(value: unknown): PiLine | undefined {
  return piLine.safeParse(value).data;
}

/** A piece of text or thinking, as it is written. */
export interface PiDelta {
  readonly type: 'text' | 'thinking';
  readonly text: string;
}

/**
 * Reads the delta of a `message_update`; undefined for any other line, and for an update that says something else.
 *
 * Each such line repeats the message so far twice. Parsing them would cost the square of a message's length; this reads the head of the
 * line alone. A line in another order of keys tells nothing, and its text is told when its message ends.
 */
export function readPiDelta(line: string): PiDelta | undefined {
  const head = DELTA_HEAD.exec(line);
  if (head?.[1] !== 'text' && head?.[1] !== 'thinking') return undefined;
  const text = parseJson(stringAt(line, head[0].length) ?? '');
  return typeof text === 'string' ? { type: head[1], text } : undefined;
}

/** A longer delta is told when its message ends. */
const MAX_DELTA_CHARS = 1_000_000;
const DELTA_HEAD =
  /^\{"type":"message_update","assistantMessageEvent":\{"type":"(text|thinking)_delta","contentIndex":\d+,"delta":/u;
const QUOTE_OR_ESCAPE = /["\\]/gu;

/** The JSON string that begins at `start`, with its quotes. */
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

/**
 * Stream parser for Codex's `exec --json` lines.
 *
 * thread.started → session · item.started/completed → text, thinking, tools · turn.completed →
 * usage, end · turn.failed → error
 */
import { z } from 'zod';
import type { AgentEvent, AgentStreamParser } from '../../ports/agent-provider.ts';
import { readCodexItem } from './codex-items.ts';
import type { CodexTokens } from './codex-tokens.ts';
import { codexTokens } from './codex-totals.ts';
import { codexUsageSince, type CodexTotals } from './codex-totals.ts';
import { createJsonLineParser } from '../stream/json-line-parser.ts';

const codexLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.object({ type: z.enum(['item.started', 'item.completed']), item: z.looseObject({ type: z.string() }) }),
  z.object({ type: z.literal('turn.completed'), usage: codexTokens.optional().catch(undefined) }),
  z.object({
    type: z.literal('turn.failed'),
    error: z.object({ message: z.string() }).catch({ message: '' }),
  }),
  z.object({ type: z.literal('error'), message: z.string().catch('') }),
]);

const TYPES = ['"item.started"', '"item.completed"', '"turn.', '"thread.started"', '"error"'];

/** Context of a parser in addition to the stream. */
export interface CodexStreamOptions {
  readonly totals: CodexTotals;
  /** Id of the session that this process resumes or forks. */
  readonly resumeSession: string | undefined;
}

interface StreamState extends CodexStreamOptions {
  threadId: string | undefined;
  baseline: CodexTokens | undefined;
  lastMessage: string | undefined;
  /**
   * Item ids of tool calls that were already reported. Some items are reported only at completion.
   */
  readonly startedIds: Set<string>;
}

export function createCodexStreamParser(options: CodexStreamOptions): AgentStreamParser {
  const state: StreamState = {
    ...options,
    threadId: undefined,
    baseline: undefined,
    lastMessage: undefined,
    startedIds: new Set(),
  };
  return createJsonLineParser({
    mayMatter: (line) => TYPES.some((type) => line.includes(type)),
    readValue(value) {
      const line = codexLine.safeParse(value);
      return line.success ? readLine(line.data, state) : [];
    },
  });
}

function readLine(line: z.infer<typeof codexLine>, state: StreamState): readonly AgentEvent[] {
  switch (line.type) {
    case 'thread.started':
      return startThread(line.thread_id, state);
    case 'item.started':
    case 'item.completed':
      return readItem(line.item, line.type === 'item.completed', state);
    case 'turn.completed':
      return endTurn(line.usage, state);
    case 'turn.failed':
      return [failure(line.error.message)];
    case 'error':
      // A fatal error is repeated by `turn.failed`. Until then a retry can recover.
      return [{ type: 'warning', message: line.message, ...statusOf(line.message) }];
    default:
      return line satisfies never;
  }
}

function startThread(threadId: string, state: StreamState): readonly AgentEvent[] {
  state.threadId = threadId;
  // A fork has a new id, and its usage includes all turns of the parent.
  const { totals, resumeSession } = state;
  state.baseline =
    totals.get(threadId) ?? (resumeSession === undefined ? undefined : totals.get(resumeSession));
  return [{ type: 'session', sessionId: threadId }];
}

function readItem(
  item: Readonly<Record<string, unknown>>,
  isCompleted: boolean,
  state: StreamState,
): readonly AgentEvent[] {
  const read = readCodexItem(item);
  if (read === undefined) return [];
  if (read.kind === 'tool') {
    const events: AgentEvent[] = state.startedIds.has(read.id) ? [] : [read.call];
    state.startedIds.add(read.id);
    if (!isCompleted) return events;
    state.startedIds.delete(read.id);
    return [...events, read.result];
  }
  if (!isCompleted) return [];
  if (read.event.type === 'text') state.lastMessage = read.event.text;
  return 'text' in read.event && read.event.text === '' ? [] : [read.event];
}

function endTurn(tokens: CodexTokens | undefined, state: StreamState): readonly AgentEvent[] {
  const end: AgentEvent = {
    type: 'end',
    ...(state.lastMessage !== undefined && { text: state.lastMessage }),
  };
  if (tokens === undefined) return [end];
  if (state.threadId !== undefined) state.totals.set(state.threadId, tokens);
  return [{ type: 'usage', usage: codexUsageSince(tokens, state.baseline) }, end];
}

function failure(message: string): AgentEvent {
  return {
    type: 'error',
    message: message === '' ? 'The turn failed without a reason.' : message,
    ...statusOf(message),
  };
}

function statusOf(message: string): { readonly statusCode?: number } {
  const [, status] = /\bstatus:? (\d{3})\b/.exec(message) ?? [];
  return status === undefined ? {} : { statusCode: Number(status) };
}

/**
 * Live hints of growing answers, from the turn's worker to watchers. The committed rows are the
 * source of truth.
 */
import { z } from 'zod';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type { Notifications, Store } from '@truecast/store/internal/database/store';
import type { LivePart } from '../models/step-request.ts';

/** A hint: a piece of the reply. A piece of the answer has its position in the answer's text. */
export type LiveHint = LivePart & { readonly offset?: number };

/** One call of a model. Its parts arrive in order. */
export interface LiveEpisode {
  readonly chatId: string;
  readonly historyVersion: number;
  readonly attempt: number;
}

/** Pieces of one call that arrived at about the same time. */
export interface LiveBatch extends LiveEpisode {
  /** Sequence number of the first hint within its call, from 0. A gap means lost hints. */
  readonly seq: number;
  readonly hints: readonly LiveHint[];
}

/** Distributes hints to watchers in this process and, if the store supports it, in others. */
export interface LiveParts {
  publish(batch: LiveBatch): void;
  /**
   * Publishes the rest of a call whose row is already committed. Only this process is notified,
   * because that costs nothing.
   */
  publishLast(batch: LiveBatch): void;
  /**
   * Subscribes. Returns the unsubscribe function. Existing hints of the current call in this
   * process are replayed first.
   */
  subscribe(chatId: string, listener: (batch: LiveBatch) => void): () => void;
  /** Discards the current call: its row is committed, or it is retried. */
  end(chatId: string): void;
}

const CHANNEL = 'live';
/** Notification limit in bytes, minus the envelope, at three bytes per UTF-16 unit. */
const MAX_PAYLOAD_UNITS = 2_000;
/** Replay limit. Beyond it, late watchers see only the rest. */
const MAX_KEPT_HINTS = 5_000;

/**
 * Creates the channel. Watchers in this process receive all hints. Watchers in other processes
 * receive hints that fit into a notification.
 */
export function liveParts({ dialect, notifications }: Pick<Store, 'dialect' | 'notifications'>): LiveParts {
  const origin = crypto.randomUUID();
  const kept = new Map<string, LiveBatch[]>();
  const listeners = new Map<string, Set<(batch: LiveBatch) => void>>();
  const tell = (batch: LiveBatch): void =>
    listeners.get(batch.chatId)?.forEach((listener) => listener(batch));
  if (dialect === 'postgres') {
    notifications.subscribe(CHANNEL, (payload) => {
      const message = payload === undefined ? undefined : readMessage(payload);
      if (message !== undefined && message.origin !== origin) tell(message.batch);
    });
  }
  return {
    publishLast: tell,
    publish: (batch) => {
      keep(kept, batch);
      tell(batch);
      if (dialect === 'postgres') sendElsewhere(notifications, { origin, batch });
    },
    subscribe: (chatId, listener) => {
      for (const batch of kept.get(chatId) ?? []) listener(batch);
      const set = listeners.get(chatId) ?? new Set();
      listeners.set(chatId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(chatId) === set) listeners.delete(chatId);
      };
    },
    end: (chatId) => {
      kept.delete(chatId);
    },
  };
}

function keep(kept: Map<string, LiveBatch[]>, batch: LiveBatch): void {
  const batches = kept.get(batch.chatId) ?? [];
  const isSame = batches[0]?.historyVersion === batch.historyVersion && batches[0]?.attempt === batch.attempt;
  const next = isSame ? batches : [];
  if (next.length < MAX_KEPT_HINTS) next.push(batch);
  kept.set(batch.chatId, next);
}

interface LiveMessage {
  /** Name of the sending process, which has already notified its own watchers. */
  readonly origin: string;
  readonly batch: LiveBatch;
}

/** An oversized batch is sent hint by hint. An oversized hint stays local. */
function sendElsewhere(notifications: Notifications, message: LiveMessage): void {
  const { batch } = message;
  const pieces =
    JSON.stringify(message).length <= MAX_PAYLOAD_UNITS
      ? [batch]
      : batch.hints.map((hint, index) => ({ ...batch, seq: batch.seq + index, hints: [hint] }));
  for (const piece of pieces) {
    const payload = JSON.stringify({ ...message, batch: piece });
    // A lost hint is harmless, because the row follows.
    if (payload.length <= MAX_PAYLOAD_UNITS) {
      void notifications.publish(CHANNEL, payload).catch(() => undefined);
    }
  }
}

const offset = z.number().exactOptional();
const messageSchema: z.ZodType<LiveMessage> = z.object({
  origin: z.string(),
  batch: z.object({
    chatId: z.string(),
    historyVersion: z.number(),
    attempt: z.number(),
    seq: z.number(),
    hints: z.array(
      z.union([
        z.object({ type: z.enum(['text-delta', 'reasoning-delta']), text: z.string(), offset }),
        z.object({ type: z.literal('tool-input-start'), tool_call_id: z.string(), tool_name: z.string() }),
        z.object({
          type: z.literal('tool-input-delta'),
          tool_call_id: z.string(),
          delta: z.string(),
          offset,
        }),
      ]),
    ),
  }),
});

function readMessage(payload: string): LiveMessage | undefined {
  const parsed = parseJson(payload);
  const message = parsed.success ? messageSchema.safeParse(parsed.value) : undefined;
  return message?.data;
}

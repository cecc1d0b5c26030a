/** Owns what is seen of an answer while it is written: hints from the turn's worker to whoever watches. The committed rows are the truth. */
import { z } from 'zod';
import type { JsonValue } from '../../schema/json-value.ts';
import { parseJson } from '../../output/parse-json.ts';
import type { Notifications, Store } from '../../store/store.ts';
import type { LivePart } from '../models/step-request.ts';

/** What a watcher is told: a piece of the answer, or the value of the finalizer as far as it is written, which nothing has validated. */
export type LiveHint = LivePart | { readonly type: 'partial'; readonly value: JsonValue };

/** One call of a model, of which parts come in order. */
export interface LiveEpisode {
  readonly chatId: string;
  readonly historyVersion: number;
  readonly attempt: number;
}

/** Pieces of one call that came at about the same time. */
export interface LiveBatch extends LiveEpisode {
  /** Place of the first hint among those of its call, from 0; a gap says that some were lost. */
  readonly seq: number;
  readonly hints: readonly LiveHint[];
}

/** Carries hints to watchers, in this process and, where the store reaches further, in others. */
export interface LiveParts {
  publish(batch: LiveBatch): void;
  /** Listens from now on, until the function that it returns is called. What this process has of the call under way comes first. */
  subscribe(chatId: string, listener: (batch: LiveBatch) => void): () => void;
  /** Forgets the call under way: its row is committed, or it is made again. */
  end(chatId: string): void;
}

const CHANNEL = 'live';
/** A notification's bound in bytes, less its envelope, at three bytes for a UTF-16 unit. */
const MAX_PAYLOAD_UNITS = 2_000;
/** Past this, late watchers see the rest only. */
const MAX_KEPT_HINTS = 5_000;

/** Makes the carrier. Watchers in this process hear everything; those of other processes what fits a notification. */
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
  /** The process that it comes from, which has told its own watchers. */
  readonly origin: string;
  readonly batch: LiveBatch;
}

/** A batch that is too large goes hint by hint; a hint that is too large stays here. */
function sendElsewhere(notifications: Notifications, message: LiveMessage): void {
  const { batch } = message;
  const pieces =
    JSON.stringify(message).length <= MAX_PAYLOAD_UNITS
      ? [batch]
      : batch.hints.map((hint, index) => ({ ...batch, seq: batch.seq + index, hints: [hint] }));
  for (const piece of pieces) {
    const payload = JSON.stringify({ ...message, batch: piece });
    // A lost hint is no loss: the row follows.
    if (payload.length <= MAX_PAYLOAD_UNITS)
      void notifications.publish(CHANNEL, payload).catch(() => undefined);
  }
}

const messageSchema: z.ZodType<LiveMessage> = z.object({
  origin: z.string(),
  batch: z.object({
    chatId: z.string(),
    historyVersion: z.number(),
    attempt: z.number(),
    seq: z.number(),
    hints: z.array(
      z.union([
        z.object({ type: z.enum(['text-delta', 'reasoning-delta']), text: z.string() }),
        z.object({ type: z.literal('tool-input-start'), tool_call_id: z.string(), tool_name: z.string() }),
        z.object({ type: z.literal('tool-input-delta'), tool_call_id: z.string(), delta: z.string() }),
        z.object({ type: z.literal('partial'), value: z.json() }),
      ]),
    ),
  }),
});

function readMessage(payload: string): LiveMessage | undefined {
  const parsed = parseJson(payload);
  const message = parsed.success ? messageSchema.safeParse(parsed.value) : undefined;
  return message?.data;
}

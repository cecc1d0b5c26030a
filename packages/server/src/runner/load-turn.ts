/** Reads a chat for its worker, with retries while the database is unreachable. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { turnView, type TurnView } from '../format/turn-view.ts';
import type { ChatMachine } from '../state/chat-machine.ts';
import type { Turn } from '../state/chat-reads.ts';
import { messageRow, type StepMessage } from '../state/rows/append-messages.ts';
import { toMessage } from '../state/rows/chat-records.ts';

/** As long as a commit is retried. Reads for clients fail at once. */
const MAX_AWAY_MS = 30_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/** A turn, with the view of the rows. */
export interface LoadedTurn extends Turn {
  readonly view: TurnView;
}

/** State of a worker between two loads. */
export interface TurnPlace {
  readonly chatId: string;
  /** The previous load. */
  readonly since?: Turn;
  /** Aborts when the work must stop. */
  readonly signal: AbortSignal;
}

/**
 * Reads the turn. Retries after a lost connection, because another worker would have to wait for
 * the lease.
 */
export async function loadLeasedTurn(
  machine: Pick<ChatMachine, 'loadTurn'>,
  { chatId, since, signal }: TurnPlace,
): Promise<LoadedTurn> {
  const startedMs = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      const turn = await machine.loadTurn(chatId, since);
      return withView(turn);
    } catch (error) {
      const isAway = StoreError.isInstance(error) && error.code === 'connection-lost';
      if (!isAway || signal.aborted || performance.now() - startedMs > MAX_AWAY_MS) throw error;
      await sleep(pauseMs * (0.5 + Math.random() / 2));
    }
  }
}

/** Adds the view of the rows to a turn. */
export function withView(turn: Turn): LoadedTurn {
  return { ...turn, view: turnView(turn.messages, turn.chat) };
}

/**
 * Returns the turn as loaded after the commit of these messages. The fence of that commit ensures
 * that the history did not change in between.
 */
export function withMessages(turn: LoadedTurn, messages: readonly StepMessage[]): LoadedTurn {
  const { chat } = turn;
  const first = (turn.messages.at(-1)?.id ?? 0) + 1;
  const at = { next: chat, revision: chat.version + 1, now: chat.updatedAt };
  const added = messages.map((message, index) => toMessage(messageRow(at, message, first + index)));
  return withView({ ...turn, messages: [...turn.messages, ...added] });
}

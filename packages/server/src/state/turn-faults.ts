/**
 * Faults of turns: errors of the server itself, such as a row that cannot be read. A turn is tried
 * again a few times, then it ends. Nothing here parses the rows of the chat.
 */
import { z } from 'zod';
import { endTurn, endTurnInError } from './end-turn.ts';
import type { ChatError } from './rows/chat-records.ts';
import { refusal, updateChat, type Fence } from './rows/chat-update.ts';
import type { MachineContext } from './rows/machine-context.ts';
import { readJson, readOr } from './rows/stored-json.ts';
import { scheduleRetry } from './turn-commits.ts';

/** Tries of a turn without a commit in between. */
export const MAX_FAULTS = 3;

/** A fault, and the pause before the next try. */
export interface TurnFault {
  readonly error: ChatError;
  /** Pause before the second try. It doubles with each try. */
  readonly pauseMs: number;
}

/** What became of the turn. */
export type SettledFault =
  | { readonly type: 'retrying'; readonly delayMs: number }
  | {
      readonly type: 'ended';
      readonly status: 'error' | 'interrupted';
      readonly ownerId: string;
      readonly model: string;
    };

/**
 * Schedules the next try of a turn, or ends it: with the fault after the last try, and at once if it
 * is being interrupted.
 *
 * The worker is known by its runner alone, because a fault can leave it with an old fence.
 *
 * @throws ChatStateError `superseded` if another worker has the chat
 */
export function recordFault(
  context: MachineContext,
  { chatId, runner }: Pick<Fence, 'chatId' | 'runner' | 'traceparent'>,
  { error, pauseMs }: TurnFault,
): Promise<SettledFault> {
  return updateChat<SettledFault>(context, chatId, 'recordFault', {}, async (update) => {
    const { next } = update;
    if (update.chat.runner !== runner) {
      throw refusal(update, 'superseded', 'Another worker has taken over this turn. Discard the work.');
    }
    const ended = { type: 'ended', ownerId: next.owner, model: next.model } as const;
    if (next.status === 'interrupting') {
      await endTurn(update, { calls: 'interrupted', request: 'interrupted' });
      return { ...ended, status: 'interrupted' };
    }
    const before = retryBefore(next.retry);
    const faults = (before.faults ?? 0) + 1;
    if (faults >= MAX_FAULTS) {
      const last = { ...error, isRetryable: false } satisfies ChatError;
      await endTurnInError(update, { calls: 'canceled', request: 'internal' }, JSON.stringify(last));
      return { ...ended, status: 'error' };
    }
    const delayMs = pauseMs * 2 ** (faults - 1);
    await scheduleRetry(update, { ...before, attempt: next.attempt + 1, delayMs, error, faults });
    return { type: 'retrying', delayMs };
  });
}

const retry = z.looseObject({ faults: z.number().exactOptional() });

/** Returns what the next try must know. Empty if the column cannot be read, because it is replaced. */
function retryBefore(text: string | null): z.infer<typeof retry> {
  return readOr(() => readJson(retry, text ?? '{}'), {});
}

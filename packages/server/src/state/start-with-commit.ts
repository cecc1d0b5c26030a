/**
 * Start of a turn by the commit that gives a chat its work: the chat is acquired in the same
 * transaction, for a free slot of this process.
 */
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { StoreTransaction } from '@truecast/store/internal/database/store';
import type { Turn } from './chat-reads.ts';
import { writeLease, type AcquiringContext } from './leases.ts';
import {
  isFree,
  nextFence,
  rowFacts,
  type ChatUpdate,
  type DraftRow,
  type Fence,
} from './rows/chat-update.ts';
import type { CommitGate } from '../pacing/commit-gate.ts';
import { assertAllowed, stateOf } from './rows/transition-table.ts';

/** An acquired chat, with its turn if the rows are known without a read. */
export interface StartedTurn {
  readonly fence: Fence;
  readonly turn?: Turn;
  /** The worker from which the chat was taken over. */
  readonly lostWorker?: string;
}

/** A reserved worker slot. */
export interface TurnSlot {
  /** Worker name in leases. */
  readonly worker: string;
  /** Runs the turn, and returns the slot after it. */
  begin(started: StartedTurn): void;
  giveBack(): void;
}

/** Context of changes that can start a turn. */
export interface StartingContext extends AcquiringContext {
  /** Reserves a free slot for a chat. Undefined without one, or if earlier work waits. */
  readonly reserve: (chatId: string, owner: string) => TurnSlot | undefined;
  readonly starts: CommitGate;
}

/** Start of at most one turn by one transaction, which can be retried. */
export interface TurnStart {
  /**
   * Gives a chat with work to a worker of this process, if a slot is free. Call it before the
   * chat's row is written.
   */
  assign(draft: DraftRow): void;
  /**
   * Writes the lease of an assigned chat, whose row exists. Its turn begins after the commit. Without
   * a slot, a turn that can be built is kept for the worker that acquires the chat.
   */
  begin(update: ChatUpdate, build?: () => Turn): Promise<void>;
}

/**
 * Runs a transaction that can start a turn. Without a commit the slot is returned.
 *
 * After a commit with unknown outcome, the turn begins from its rows. If they were stored, the
 * lease is valid, and no other worker would find the chat before it expires.
 */
export async function startWithCommit<T>(
  context: StartingContext,
  change: (tx: StoreTransaction, start: TurnStart) => Promise<T>,
): Promise<T> {
  const reserved: Reserved = {};
  try {
    return await context.starts.run(() =>
      context.store.transaction((tx) => change(tx, turnStart(context, reserved))),
    );
  } catch (error) {
    const { fence } = reserved;
    const isUnknown = StoreError.isInstance(error) && error.code === 'commit-unknown';
    if (isUnknown && fence !== undefined) useSlot(reserved, { fence });
    throw error;
  } finally {
    reserved.slot?.giveBack();
  }
}

interface Reserved {
  /** Undefined after a turn has started in it. */
  slot?: TurnSlot | undefined;
  fence?: Fence | undefined;
}

function turnStart(context: StartingContext, reserved: Reserved): TurnStart {
  // A retried transaction keeps the slot of the first one.
  reserved.fence = undefined;
  let runner: string | undefined;
  return {
    assign: (draft) => {
      if (!isFree(draft)) return;
      reserved.slot ??= context.reserve(draft.id, draft.owner);
      if (reserved.slot === undefined) return;
      assertAllowed('acquire', stateOf(rowFacts(draft)), draft.id);
      runner = context.newId();
      draft.runner = runner;
    },
    begin: async (update, build) => {
      const { slot } = reserved;
      const { id, owner } = update.next;
      if (slot === undefined || runner === undefined) {
        if (build !== undefined) update.tx.afterCommit(() => context.newTurns.keep(update.next, build));
        return;
      }
      await writeLease(update, { chat_id: id, runner, worker: slot.worker, heartbeat_at: update.now });
      const fence = nextFence(update, runner);
      const turn = build?.();
      reserved.fence = fence;
      update.tx.afterCommit(() => {
        context.recentOwners.add(owner);
        useSlot(reserved, { fence, ...(turn !== undefined && { turn }) });
      });
    },
  };
}

function useSlot(reserved: Reserved, started: StartedTurn): void {
  const { slot } = reserved;
  reserved.slot = undefined;
  slot?.begin(started);
}

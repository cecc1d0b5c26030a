/**
 * Writer of a person's messages to an ensemble run. The process that plays the run injects each one once,
 * from a stream beside the run: `truecast ensemble say` writes the same event.
 */
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { Store, StoreTransaction } from '@truecast/store/internal/database/store';
import { lockName } from '@truecast/store/internal/locks';
import { oneAtATime } from '@truecast/store/internal/one-at-a-time';
import { EVENTS_CHANNEL } from '@truecast/store/internal/watch-events';
import { readEnsembleRun } from './read-ledger.ts';

interface LeftMessage {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/**
 * Stores the message, and returns the event id.
 *
 * @throws RequestRefusedError `not-found`
 * @throws ChatStateError `not-allowed` for a run that has ended
 */
export async function storeVisitorMessage(
  store: Store,
  runId: string,
  { text, atMs }: LeftMessage,
): Promise<string> {
  const run = await readEnsembleRun(store.db, runId);
  if (run === undefined) throw noEnsembleRun();
  if (run.ended_at !== undefined) {
    throw new ChatStateError('A run that has ended takes no message. Play the scenario again.', {
      code: 'not-allowed',
      subject: runId,
      from: 'ended',
    });
  }
  const id = crypto.randomUUID();
  const inbox = `${runId}/inbox`;
  const insert = async (tx: StoreTransaction): Promise<void> => {
    // As every writer of the ledger: offsets become visible in order.
    await lockName(tx, EVENTS_CHANNEL);
    await tx.db
      .insertInto('events')
      .values({
        id,
        run_id: inbox,
        turn: 0,
        kind: 'user.injected',
        actor: 'visitor',
        payload: JSON.stringify({ text }),
        created_at: new Date(atMs).toISOString(),
        schema_version: 1,
        caused_by: null,
        model: null,
        provenance: null,
      })
      .execute();
    await tx.notify(EVENTS_CHANNEL, inbox);
  };
  await oneAtATime(store, EVENTS_CHANNEL, () => store.transaction(insert));
  return id;
}

/** Creates the error of a request for a run that the ledger does not have. */
export function noEnsembleRun(): RequestRefusedError {
  return new RequestRefusedError('The ledger has no such run. List the runs again.', { code: 'not-found' });
}

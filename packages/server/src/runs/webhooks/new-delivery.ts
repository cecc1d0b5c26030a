/** Delivery of a run's end to its webhook: written in the transaction of the ending. */
import { randomUUID } from 'node:crypto';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJsonObject } from '@truecast/core/internal/json/parse-json';
import { write } from '@truecast/store/internal/write';
import type { StoreTransaction } from '@truecast/store/internal/database/store';
import type { AgentRunRow } from '@truecast/store/internal/tables/agent-runs';
import { toTime } from '../../contract/to-time.ts';

/** Enqueues a try, in the same transaction as its row. */
export type AnnounceDelivery = (tx: StoreTransaction, id: string, notBefore?: number) => Promise<void>;

/** Writes the delivery, if the run has a webhook. The body has no value, so that a late one is never wrong. */
export async function addDelivery(
  tx: StoreTransaction,
  run: Pick<AgentRunRow, 'id' | 'owner' | 'status' | 'metadata' | 'input'>,
  { now, announce }: { readonly now: number; readonly announce: AnnounceDelivery },
): Promise<void> {
  const url = webhookUrlOf(run.input);
  if (url === undefined) return;
  const id = `msg_${randomUUID()}`;
  const body = JSON.stringify({
    type: `run.${run.status}`,
    timestamp: toTime(now),
    data: { run_id: run.id, status: run.status, metadata: parseJsonObject(run.metadata ?? '') },
  });
  const row = { id, run_id: run.id, owner: run.owner, url, body, status: 'pending', tries: 0 };
  const rest = { next_at: now, created_at: now, tried_at: null, answer_status: null, error: null };
  await write(tx, tx.db.insertInto('webhook_deliveries').values({ ...row, ...rest }));
  await announce(tx, id);
}

/** The row of a run that ends as unreadable has no webhook either. */
function webhookUrlOf(input: string): string | undefined {
  const { webhook } = parseJsonObject(input);
  const url = isRecord(webhook) ? webhook['url'] : undefined;
  return typeof url === 'string' ? url : undefined;
}

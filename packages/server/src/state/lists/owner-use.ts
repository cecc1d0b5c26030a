/** Use of an owner's quotas, for the owner and the operator. */
import { quotaOf, type OwnerQuota } from '../../contract/quotas.ts';
import type { MachineContext } from '../rows/machine-context.ts';
import { countChats, countTurns, quotaPeriod, readUsed } from '../rows/owner-usage.ts';

export interface OwnerUse {
  readonly owner: string;
  readonly period: 'day' | 'month';
  /** Start of the next period, in milliseconds since 1970. */
  readonly resetsAt: number;
  /** Undefined for an owner without a quota, whose use is not counted. */
  readonly used?: { readonly turns: number; readonly tokens: number; readonly costUsd: number };
  readonly chats: number;
  readonly concurrentTurns: number;
  readonly limits: OwnerQuota;
}

/** Reads the use of an owner. An unknown owner has used nothing. */
export async function readUsage(context: MachineContext, owner: string): Promise<OwnerUse> {
  const { quotas = {} } = context;
  const limits = quotaOf(quotas, owner);
  const { resetsAt } = quotaPeriod(quotas, context.now());
  return await context.store.view(async (db) => ({
    owner,
    period: quotas.period ?? 'day',
    resetsAt,
    ...(limits !== undefined && { used: await readUsed(context, db, owner) }),
    chats: await countChats(db, owner),
    concurrentTurns: await countTurns(db, owner),
    limits: limits ?? {},
  }));
}

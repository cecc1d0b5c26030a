/**
 * Quotas in the transaction of the change that uses them. The row of an owner's usage is locked
 * first, so that two processes cannot exceed a limit together.
 */
import { ChatStateError, type ChatStateErrorCode } from '@truecast/core/internal/errors/chat-state-error';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { OwnerUsageRow } from '@truecast/store/internal/tables/chats';
import { fromReceiptUsage } from '../../contract/receipt.ts';
import { quotaOf, type OwnerQuota, type QuotaSettings } from '../../contract/quotas.ts';
import type { StepMessage } from './append-messages.ts';
import type { ChatUpdate } from './chat-update.ts';
import type { MachineContext, StateDb } from './machine-context.ts';
import type { ToolCallResult } from './tool-ledger.ts';

/** Added to the usage of an owner. */
type Spending = Pick<OwnerUsageRow, 'turns' | 'tokens' | 'cost_micro_usd'>;

const ONE_TURN: Spending = { turns: 1, tokens: 0, cost_micro_usd: 0 };
const MICRO = 1_000_000;

/** Counts the turn of a message. @throws ChatStateError `quota-exceeded`, `too-many-turns` */
export async function countTurn(update: ChatUpdate): Promise<void> {
  const { context, db, next, now, from } = update;
  const quota = quotaOf(context.quotas, next.owner);
  if (quota === undefined) return;
  await spendTurn(context, db, next.owner, now);
  if (next.parent_id !== null) return;
  const isNew = from === 'none';
  if (isNew && quota.chats !== undefined) await assertChats(db, next.owner, quota.chats);
  const starts = isNew || from.startsWith('waiting') || from.startsWith('error');
  if (starts && quota.concurrentTurns !== undefined) await assertTurns(db, next.owner, quota.concurrentTurns);
}

/** Counts a call of `/v1` as a turn. @throws ChatStateError `quota-exceeded` */
export async function countCall(context: MachineContext, owner: string): Promise<void> {
  if (quotaOf(context.quotas, owner) === undefined) return;
  await context.store.transaction(({ db }) => spendTurn(context, db, owner, context.now()));
}

/** Charges the model calls of a step to the owner, in the step's transaction. */
export async function chargeSteps(update: ChatUpdate, messages: readonly StepMessage[]): Promise<void> {
  const { context, db, next, now } = update;
  const used = messages.flatMap(({ step }) => (step?.usage === undefined ? [] : [step.usage]));
  if (used.length > 0) await chargeOwner(context, db, { owner: next.owner, used, now });
}

/** Charges the usage of tools, such as coding agents, in the transaction of their results. */
export async function chargeTools(update: ChatUpdate, results: readonly ToolCallResult[]): Promise<void> {
  const { context, db, next, now } = update;
  const used = results.flatMap(({ part: { usage } }) =>
    usage === undefined ? [] : [fromReceiptUsage(usage)],
  );
  if (used.length > 0) await chargeOwner(context, db, { owner: next.owner, used, now });
}

/** Charges a model call of `/v1` to the owner. */
export async function chargeCall(context: MachineContext, owner: string, usage: Usage): Promise<void> {
  await chargeOwner(context, context.store.db, { owner, used: [usage], now: context.now() });
}

/** Usage that is counted together: chats, or durable runs. Both have rows in one table. */
export interface UsageScope {
  readonly quotas: QuotaSettings | undefined;
  /** Beginning of the period's key. @default '' for chats */
  readonly prefix?: string;
}

/** A budget of the period that is spent. */
export interface SpentBudget {
  readonly message: string;
  readonly resetsAt: number;
}

/** Returns the spent budget of tokens or money, if any. Called before each model call. */
export async function spentBudget(context: MachineContext, owner: string): Promise<SpentBudget | undefined> {
  return spentIn(context.store.db, context, { owner, now: context.now() });
}

/** Returns the spent budget of a scope, if any. */
export async function spentIn(
  db: StateDb,
  { quotas, prefix }: UsageScope,
  { owner, now }: { readonly owner: string; readonly now: number },
): Promise<SpentBudget | undefined> {
  const quota = quotaOf(quotas, owner);
  if (quota?.tokens === undefined && quota?.costUsd === undefined) return undefined;
  const period = quotaPeriod(quotas ?? {}, now, prefix);
  const row = await readRow(db, owner, period.key);
  return row && findSpent(quota, row, period);
}

/** Returns the owners whose budget of a scope is spent. */
export async function spentOwners(
  db: StateDb,
  { quotas, prefix }: UsageScope,
  now: number,
): Promise<ReadonlySet<string>> {
  if (quotas === undefined) return new Set();
  const period = quotaPeriod(quotas, now, prefix);
  const rows = await db.selectFrom('owner_usage').selectAll().where('period', '=', period.key).execute();
  const isSpent = (row: OwnerUsageRow): boolean =>
    findSpent(quotaOf(quotas, row.owner) ?? {}, row, period) !== undefined;
  return new Set(rows.filter(isSpent).map(({ owner }) => owner));
}

/** Reads the usage of the current period. */
export async function readUsed(
  { quotas, now }: MachineContext,
  db: StateDb,
  owner: string,
): Promise<{ readonly turns: number; readonly tokens: number; readonly costUsd: number }> {
  const row = await readRow(db, owner, quotaPeriod(quotas ?? {}, now()).key);
  // A refused message rolls its turn back, so `turns` never exceeds the limit.
  const { turns, tokens, cost_micro_usd: cost } = row ?? { turns: 0, tokens: 0, cost_micro_usd: 0 };
  return { turns, tokens, costUsd: cost / MICRO };
}

function readRow(db: StateDb, owner: string, period: string): Promise<OwnerUsageRow | undefined> {
  const rows = db.selectFrom('owner_usage').selectAll();
  return rows.where('owner', '=', owner).where('period', '=', period).executeTakeFirst();
}

async function spendTurn(context: MachineContext, db: StateDb, owner: string, now: number): Promise<void> {
  const { quotas = {} } = context;
  const quota = quotaOf(quotas, owner) ?? {};
  const period = quotaPeriod(quotas, now);
  const row = await addUsage(db, { owner, period: period.key, ...ONE_TURN });
  const spent = findSpent(quota, row, period) ?? findTurns(quota, row, period);
  if (spent === undefined) return;
  throw refuse('quota-exceeded', spent.message, quota.turns, spent.resetsAt);
}

/** Adds usage to the owner's row of a scope. */
export async function chargeOwner(
  { quotas, prefix }: UsageScope,
  db: StateDb,
  { owner, used, now }: { readonly owner: string; readonly used: readonly Usage[]; readonly now: number },
): Promise<void> {
  if (quotas === undefined || quotaOf(quotas, owner) === undefined) return;
  const tokens = used.reduce((sum, usage) => sum + usage.inputTokens + usage.outputTokens, 0);
  const cost = used.reduce((sum, usage) => sum + (usage.costUsd ?? 0), 0);
  const { key: period } = quotaPeriod(quotas, now, prefix);
  await addUsage(db, { owner, period, turns: 0, tokens, cost_micro_usd: Math.ceil(cost * MICRO) });
}

/** Adds to the row, locks it until the transaction ends, and returns it. */
async function addUsage(db: StateDb, added: OwnerUsageRow): Promise<OwnerUsageRow> {
  return db
    .insertInto('owner_usage')
    .values(added)
    .onConflict((conflict) =>
      conflict.columns(['owner', 'period']).doUpdateSet(({ eb, ref }) => ({
        turns: eb(ref('owner_usage.turns'), '+', added.turns),
        tokens: eb(ref('owner_usage.tokens'), '+', added.tokens),
        cost_micro_usd: eb(ref('owner_usage.cost_micro_usd'), '+', added.cost_micro_usd),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

function findSpent(
  { tokens, costUsd }: OwnerQuota,
  row: Spending,
  { resetsAt }: QuotaPeriod,
): SpentBudget | undefined {
  if (tokens !== undefined && row.tokens >= tokens) return spent(`${tokens} tokens`, resetsAt);
  const isOver = costUsd !== undefined && row.cost_micro_usd >= costUsd * MICRO;
  return isOver ? spent(`${costUsd} US dollars`, resetsAt) : undefined;
}

function findTurns({ turns }: OwnerQuota, row: Spending, { resetsAt }: QuotaPeriod): SpentBudget | undefined {
  return turns !== undefined && row.turns > turns ? spent(`${turns} turns`, resetsAt) : undefined;
}

function spent(limit: string, resetsAt: number): SpentBudget {
  const time = new Date(resetsAt).toISOString();
  return {
    message: `The owner's quota of ${limit} is spent. It resets at ${time}. Wait until then, or ask the server's operator for a higher quota.`,
    resetsAt,
  };
}

/** Called before the new chat is stored. */
async function assertChats(db: StateDb, owner: string, limit: number): Promise<void> {
  if ((await countChats(db, owner)) < limit) return;
  const message = `The owner has reached the quota of ${limit} chats. Delete a chat, or ask the server's operator for a higher quota.`;
  throw refuse('quota-exceeded', message, limit);
}

async function assertTurns(db: StateDb, owner: string, limit: number): Promise<void> {
  if ((await countTurns(db, owner)) < limit) return;
  const message = `The owner has reached the quota of ${limit} open turns. Wait for one to end, or interrupt one.`;
  throw refuse('too-many-turns', message, limit);
}

/** Counts turns that run or wait for a tool, without those of subagents. */
export function countTurns(db: StateDb, owner: string): Promise<number> {
  return countChats(db, owner, ['running', 'interrupting', 'requires_action']);
}

/** Counts chats that are not deleted, without those of subagents. */
export async function countChats(db: StateDb, owner: string, statuses?: readonly string[]): Promise<number> {
  const query = db
    .selectFrom('chats')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('owner', '=', owner)
    .where('deleted', '=', 0)
    .where('parent_id', 'is', null);
  const { count } = await (
    statuses === undefined ? query : query.where('status', 'in', statuses)
  ).executeTakeFirstOrThrow();
  return count;
}

function refuse(
  code: Extract<ChatStateErrorCode, 'quota-exceeded' | 'too-many-turns'>,
  message: string,
  limit: number | undefined,
  resetsAt?: number,
): ChatStateError {
  return new ChatStateError(message, {
    code,
    ...(limit !== undefined && { limit }),
    ...(resetsAt !== undefined && { resetsAt }),
  });
}

/** A period, and the time of the next one in milliseconds since 1970. */
interface QuotaPeriod {
  readonly key: string;
  readonly resetsAt: number;
}

export function quotaPeriod(
  { period = 'day' }: QuotaSettings,
  nowMs: number,
  prefix: string = '',
): QuotaPeriod {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const key = `${prefix}${now.toISOString().slice(0, period === 'month' ? 7 : 10)}`;
  if (period === 'month') return { key, resetsAt: Date.UTC(year, month + 1) };
  return {
    key,
    resetsAt: Date.UTC(year, month, now.getUTCDate() + 1),
  };
}

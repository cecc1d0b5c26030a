/** Order of the list of runs: all pages of each order, and the rows that both databases read. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Store } from '@truecast/store/internal/database/store';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import type { ListSort } from '../../contract/run-archive.ts';
import { allPages, watched, workOf } from '../../state/lists/test-plans.ts';
import { listRuns, ownIds } from './run-reads.ts';
import { RUN_OWNER, runIn, testRuns } from './test-runs.ts';

const SORTS: readonly Exclude<ListSort, 'created'>[] = ['cost', 'duration', 'attempts'];

describeOnBothStores('an ordered list of runs', (open) => {
  it.each(SORTS)('by %s goes on after its page, and leaves out what has no number', async (sort) => {
    const { store, owner, numbers } = await numbered(open(), 30);
    for (const direction of ['desc', 'asc'] as const) {
      const sign = direction === 'asc' ? 1 : -1;
      // Several rows have each number: their ids are the rest of the order.
      const expected = numbers
        .filter((each) => each[sort] !== null)
        .toSorted((a, b) => sign * ((a[sort] ?? 0) - (b[sort] ?? 0) || (a.id < b.id ? -1 : 1)));
      const found = await allPages(async (after) => {
        const { runs, next } = await listRuns(store.db, { owner, limit: 7, sort, direction, ...after });
        return { ids: runs.map(({ id }) => id), next };
      });
      expect(found).toEqual(expected.map(({ id }) => id));
    }
  });

  it('knows which ids its runs have', async () => {
    const { store, owner, numbers } = await numbered(open(), 3);
    const ids = numbers.map(({ id }) => id);
    const foreign = ['job-1', "'; --", 'x'.repeat(200)];
    expect(await ownIds(store.db, { owner, ids: [...foreign, ...ids.slice(1)] })).toEqual(
      new Set(ids.slice(1)),
    );
    expect(await ownIds(store.db, { owner: 'another', ids })).toEqual(new Set());
    expect(await ownIds(store.db, { owner, ids: [] })).toEqual(new Set());
  });

  it('by creation begins with the oldest one too', async () => {
    const { store, owner, numbers } = await numbered(open(), 12);
    const found = await allPages(async (after) => {
      const { runs, next } = await listRuns(store.db, { owner, limit: 5, direction: 'asc', ...after });
      return { ids: runs.map(({ id }) => id), next };
    });
    expect(found).toEqual(numbers.map(({ id }) => id));
  });

  it('reads the rows of its page alone, whatever the filters and the page', async () => {
    const { store, owner } = await numbered(open(), 2_000);
    if (store.dialect === 'postgres') await sql`analyze agent_runs`.execute(store.db);
    const { db, statements } = watched(store);
    const page = { owner, limit: 5, after: `3.${'8'.repeat(36)}` };
    for (const sort of SORTS) {
      for (const direction of ['desc', 'asc'] as const) {
        await listRuns(db, { ...page, sort, direction });
        await listRuns(db, { ...page, sort, direction, repository: 'web', agent: 'claude-code' });
      }
    }
    await listRuns(db, page);
    await listRuns(db, { ...page, direction: 'asc' });
    expect(statements).toHaveLength(14);
    for (const statement of statements) {
      const { sorts, isSought, rows } = await workOf(store, statement);
      expect({ sql: statement.sql, sorts, isSought }).toEqual({
        sql: statement.sql,
        sorts: [],
        isSought: true,
      });
      // SQLite counts no rows. Its plan has the place where it begins.
      if (rows !== undefined) expect(rows).toBeLessThanOrEqual(6);
    }
  });

  it('has the numbers of the receipt', async () => {
    const store = open();
    const machine = testRuns(store);
    const { runId, fence } = await runIn(machine, 'running');
    machine.clock.nowMs += 250;
    const usage = {
      input_tokens: 9,
      output_tokens: 1,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cost_usd: 0.012_345,
    };
    const attempts = [
      { code: 'schema-mismatch', message: 'Expected integer.' },
      { code: 'ok', message: 'valid' },
    ];
    const numbers = async (): Promise<object> =>
      store.db
        .selectFrom('agent_runs')
        .select(['attempt_count', 'duration_ms', 'cost_micro_usd'])
        .where('id', '=', runId)
        .executeTakeFirstOrThrow();
    expect(await numbers()).toEqual({ attempt_count: null, duration_ms: null, cost_micro_usd: null });
    await machine.endRun(fence, { status: 'succeeded', text: 'Done.', usage, attempts });
    expect(await numbers()).toEqual({ attempt_count: 2, duration_ms: 250, cost_micro_usd: 12_345 });
    const { runs } = await listRuns(store.db, { owner: RUN_OWNER, limit: 200, sort: 'cost' });
    expect(runs.find(({ id }) => id === runId)?.attemptCount).toBe(2);
  });
});

interface Numbered {
  readonly id: string;
  readonly cost: number | null;
  readonly duration: number | null;
  readonly attempts: number | null;
}

/** Ended runs of a new owner, the oldest first. Every sixth one has no numbers, as if it was still open. */
async function numbered(
  store: Store,
  count: number,
): Promise<{ readonly store: Store; readonly owner: string; readonly numbers: readonly Numbered[] }> {
  const owner = crypto.randomUUID();
  const { runId } = await runIn(testRuns(store), 'failed');
  const run = await store.db
    .selectFrom('agent_runs')
    .selectAll()
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
  const numbers = Array.from({ length: count }, (_, at): Numbered => {
    const isOpen = at % 6 === 5;
    return {
      id: crypto.randomUUID(),
      cost: isOpen ? null : (at * 7) % 5,
      duration: isOpen ? null : (at * 5) % 7,
      attempts: isOpen ? null : 1 + (at % 4),
    };
  });
  for (let at = 0; at < count; at += 100) {
    await store.db
      .insertInto('agent_runs')
      .values(
        numbers.slice(at, at + 100).map(({ id, cost, duration, attempts }, index) => ({
          ...run,
          id,
          owner,
          created_at: at + index + 1,
          cost_micro_usd: cost,
          duration_ms: duration,
          attempt_count: attempts,
        })),
      )
      .execute();
  }
  return { store, owner, numbers };
}

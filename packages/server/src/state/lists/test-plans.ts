/** Shared test fixtures of lists: their pages, their statements, and the plans of both databases. */
import { CompiledQuery, type QueryResult } from 'kysely';
import type { Store } from '@truecast/store/internal/database/store';

/** Ids of all pages, one after another. */
export async function allPages(
  read: (after: {
    readonly after?: string;
  }) => Promise<{ readonly ids: string[]; readonly next?: string | undefined }>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let next: string | undefined = ''; next !== undefined;) {
    const page = await read(next === '' ? {} : { after: next });
    ids.push(...page.ids);
    next = page.next;
  }
  return ids;
}

/** Sorts of a statement, if it begins at the row of its cursor, and the rows that Postgres read. */
export async function workOf(
  { db, dialect }: Store,
  { sql: text, parameters }: CompiledQuery,
): Promise<{ readonly sorts: string[]; readonly isSought: boolean; readonly rows?: number }> {
  if (dialect === 'sqlite') {
    const plan = await explain(db, `explain query plan ${text}`, parameters);
    return {
      sorts: plan.filter((step) => step.includes('TEMP B-TREE')),
      isSought: plan.some((step) => /,id\)[<>]\(\?,\?\)/u.test(step)),
    };
  }
  const plan = await explain(db, `explain (analyze, costs off, timing off) ${text}`, parameters);
  const numberIn = (step: string, pattern: RegExp): number => Number(pattern.exec(step)?.[1] ?? 0);
  return {
    sorts: plan.filter((step) => step.includes('Sort')),
    isSought: plan.some((step) => step.includes('Index Cond') && step.includes('ROW(')),
    rows: plan
      .filter((step) => step.includes('Scan') || step.includes('Removed'))
      .reduce(
        (sum, step) => sum + numberIn(step, /actual rows=(\d+)/u) + numberIn(step, /Removed by .*: (\d+)/u),
        0,
      ),
  };
}

/** The database, and the statements that it ran. */
export function watched({ db }: Store): { readonly db: Store['db']; readonly statements: CompiledQuery[] } {
  const statements: CompiledQuery[] = [];
  const executor = db.getExecutor();
  const watching = db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      statements.push(executor.compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: watching, statements };
}

/** Steps of a plan that read all rows of a table. */
export async function scansOf(
  { db, dialect }: Store,
  { sql: text, parameters }: CompiledQuery,
): Promise<string[]> {
  if (dialect === 'sqlite') {
    const plan = await explain(db, `explain query plan ${text}`, parameters);
    return plan.filter((step) => /^SCAN (?!CONSTANT|\(subquery)/u.test(step));
  }
  // A small table is read whole whatever its indexes are, unless that is switched off.
  return await db.transaction().execute(async (transaction) => {
    await transaction.executeQuery(CompiledQuery.raw('set local enable_seqscan = off'));
    const plan = await explain(transaction, `explain ${text}`, parameters);
    return plan.filter((step) => step.includes('Seq Scan'));
  });
}

async function explain(
  db: Pick<Store['db'], 'executeQuery'>,
  text: string,
  parameters: readonly unknown[],
): Promise<string[]> {
  const { rows }: QueryResult<unknown> = await db.executeQuery(CompiledQuery.raw(text, [...parameters]));
  return rows.map((row) => {
    const { detail, 'QUERY PLAN': step } = row as {
      readonly detail?: string;
      readonly 'QUERY PLAN'?: string;
    };
    return detail ?? step ?? '';
  });
}

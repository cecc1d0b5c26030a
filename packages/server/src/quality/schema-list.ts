/** List of the schemas that an owner's requests used, without those of deleted chats. */
import type { SelectQueryBuilder } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';
import type { Tables } from '@truecast/store/internal/tables/tables';
import type { StateDb } from '../state/rows/machine-context.ts';

export interface SchemaFilter {
  readonly owner: string;
  readonly limit: number;
  /** `next` of the previous page. */
  readonly after?: string;
}

/** Requests with one schema. Times are milliseconds since 1970. */
export interface SchemaUse {
  readonly hash: string;
  /** Name in the last request. */
  readonly name: string | null;
  readonly firstUsedAt: number;
  readonly lastUsedAt: number;
  readonly requests: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
}

export interface ReadSchema extends SchemaUse {
  readonly text: string;
}

/** A page of schemas, the last used first. */
export interface SchemaPage {
  readonly schemas: readonly SchemaUse[];
  /** Cursor of the next page. */
  readonly next?: string;
}

/** Lists an owner's schemas, the last used first. */
export async function listSchemas(db: StateDb, { owner, limit, after }: SchemaFilter): Promise<SchemaPage> {
  let query = uses(db, owner)
    .orderBy('last', 'desc')
    .orderBy('schema_hash', 'desc')
    .limit(limit + 1);
  if (after !== undefined) query = query.having(afterUse(after));
  const rows = await query.execute();
  const page = rows.slice(0, limit);
  const end = page.at(-1);
  const schemas = await Promise.all(
    page.map(async (row) => toUse(row, await lastRequest(db, owner, row).executeTakeFirstOrThrow())),
  );
  return {
    schemas,
    ...(rows.length > limit && end !== undefined && { next: `${end.last}.${end.schema_hash}` }),
  };
}

/** Reads one schema of an owner. Undefined if no request used it. */
export async function readSchemaUse(
  db: StateDb,
  { owner, hash }: { readonly owner: string; readonly hash: string },
): Promise<ReadSchema | undefined> {
  const row = await uses(db, owner).where('schema_hash', '=', hash).executeTakeFirst();
  if (row === undefined) return undefined;
  const last = await lastRequest(db, owner, row).select('schema_text').executeTakeFirstOrThrow();
  return { ...toUse(row, last), text: last.schema_text };
}

interface CountedUse {
  readonly schema_hash: string;
  readonly first: number;
  readonly last: number;
  readonly requests: number | string | bigint;
  readonly succeeded: number | string | bigint;
  readonly failed: number | string | bigint;
  readonly canceled: number | string | bigint;
}

type UseQuery = SelectQueryBuilder<Tables, 'chat_requests', CountedUse>;

function uses(db: StateDb, owner: string): UseQuery {
  return db
    .selectFrom('chat_requests')
    .select('schema_hash')
    .select(({ fn }) => [
      fn.min('created_at').as('first'),
      fn.max('created_at').as('last'),
      fn.countAll().as('requests'),
      fn.countAll().filterWhere('status', '=', 'succeeded').as('succeeded'),
      fn.countAll().filterWhere('status', '=', 'failed').as('failed'),
      fn.countAll().filterWhere('status', '=', 'canceled').as('canceled'),
    ])
    .where('owner', '=', owner)
    .where('erased', '=', 0)
    .groupBy('schema_hash');
}

/** Condition of the schemas after a cursor. An invalid cursor starts at the first page. */
function afterUse(cursor: string) {
  const [time = '', ...rest] = cursor.split('.');
  const last = Number.isSafeInteger(Number(time)) ? Number(time) : 0;
  const hash = rest.join('.');
  return () =>
    sql<boolean>`(max(created_at) < ${last} or (max(created_at) = ${last} and schema_hash < ${hash}))`;
}

/**
 * A separate indexed read, because an aggregate does not have the other columns of the last row. The
 * index has the name: a list reads no row, whose text and value can be large.
 */
function lastRequest(db: StateDb, owner: string, { schema_hash: hash, last }: CountedUse) {
  return db
    .selectFrom('chat_requests')
    .select('name')
    .where('owner', '=', owner)
    .where('schema_hash', '=', hash)
    .where('created_at', '=', last)
    .where('erased', '=', 0)
    .orderBy('id', 'desc')
    .limit(1);
}

function toUse(row: CountedUse, { name }: Pick<SchemaUse, 'name'>): SchemaUse {
  return {
    hash: row.schema_hash,
    name,
    firstUsedAt: row.first,
    lastUsedAt: row.last,
    requests: Number(row.requests),
    succeeded: Number(row.succeeded),
    failed: Number(row.failed),
    canceled: Number(row.canceled),
  };
}

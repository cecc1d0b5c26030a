/** A database that is read-only, full or out of memory, in words for its operator. */
import { Client, DatabaseError } from 'pg';
import { expect, it } from 'vitest';
import { toPostgresStoreError } from '../../packages/store/src/postgres/postgres-error.ts';
import { toSqliteStoreError } from '../../packages/store/src/sqlite/sqlite-error.ts';
import { describeOnPostgres } from '../describe-on-both-stores.ts';

describeOnPostgres('a read-only server', (fixture) => {
  it('is named as read-only, and never as a bug', async () => {
    const url = await fixture.freshUrl();
    await (await fixture.open(url)).close();
    const client = new Client({ connectionString: url });
    await client.connect();
    const name = new URL(url).pathname.slice(1);
    await client.query(`alter database ${name} set default_transaction_read_only = on`);
    await client.end();
    await expect(fixture.open(url)).rejects.toMatchObject({
      code: 'write-failed',
      message: expect.stringContaining('Connect to the primary, or make the server writable.'),
    });
  });
});

it.each([
  ['25006', 'write-failed', 'Connect to the primary'],
  ['53100', 'write-failed', "Free space on the server's disk"],
  ['53200', 'busy', 'has no memory left'],
])('tells %s as `%s`', (state, code, advice) => {
  const error = new DatabaseError('told', 4, 'error');
  error.code = state;
  const told = toPostgresStoreError(error, 'Could not run a statement');
  expect(told).toMatchObject({ code, message: expect.stringContaining(advice) });
  expect(told.message).not.toContain('bug');
});

it.each([
  [8, 'cannot be written'],
  [13, 'The disk is full'],
])('tells code %i of SQLite as `write-failed`', (errcode, advice) => {
  const told = toSqliteStoreError(Object.assign(new Error('told'), { errcode }), 'Could not run a statement');
  expect(told).toMatchObject({ code: 'write-failed', message: expect.stringContaining(advice) });
  expect(told.message).not.toContain('bug');
});

import { expect, it } from 'vitest';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { isSqliteBusy, toSqliteStoreError } from './sqlite-error.ts';

const failed = (errcode: unknown): Error => Object.assign(new Error('no'), { errcode });

it.each([
  [5, 'busy', true],
  [6, 'busy', true],
  [5 + 2 * 256, 'busy', true],
  [8, 'write-failed', false],
  [13, 'write-failed', false],
  [14, 'cannot-open', false],
  [19 + 8 * 256, 'constraint', false],
  [26, 'cannot-open', false],
  [1, 'query', false],
  ['5', 'query', false],
])('the result %j is %s', (errcode, code, isBusy) => {
  const error = failed(errcode);
  expect(toSqliteStoreError(error, 'Could not write')).toMatchObject({ code, cause: error });
  expect(isSqliteBusy(error)).toBe(isBusy);
});

it('says what was done, the reason and the next step, and keeps an error of the store', () => {
  expect(toSqliteStoreError(failed(13), 'Could not write').message).toBe(
    'Could not write: no. The disk is full. Free some space, then try again.',
  );
  expect(toSqliteStoreError('odd', 'Could not read').message).toContain('Could not read: odd. This is a bug');
  const known = new StoreError('closed', { code: 'closed' });
  expect(toSqliteStoreError(known, 'Could not write')).toBe(known);
  expect([undefined, new Error('no'), { errcode: 5 }].map(isSqliteBusy)).toEqual([false, false, false]);
});

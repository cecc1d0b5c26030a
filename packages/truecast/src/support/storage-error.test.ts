import { expect, test } from 'vitest';
import { storageError } from './storage-error.ts';

const system = (code: string, path?: string): Error =>
  Object.assign(new Error(code), { code, syscall: 'write', ...(path !== undefined && { path }) });

test.each([
  ['ENOSPC', 'disk-full'],
  ['EDQUOT', 'disk-full'],
  ['EROFS', 'not-writable'],
  ['EACCES', 'not-writable'],
  ['EPERM', 'not-writable'],
])('%s is %s, with its cause', (code, expected) => {
  const cause = system(code, '/repo/.git/x');
  expect(storageError(cause)).toMatchObject({ name: 'RepositoryError', code: expected, cause });
  expect(String(storageError(cause))).toContain('`/repo/.git/x`');
  expect(String(storageError(system(code), 'The log'))).toContain('The log could not be written');
});

test.each([[system('ENOENT')], [new Error('ENOSPC')], ['ENOSPC'], [undefined]])(
  '%j is unchanged',
  (error) => {
    expect(storageError(error)).toBe(error);
  },
);

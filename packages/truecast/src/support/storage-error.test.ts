import { expect, test } from 'vitest';
import { failedRead, storageError } from './storage-error.ts';

const system = (code: string, path?: string, syscall = 'write'): Error =>
  Object.assign(new Error(code), { code, syscall, ...(path !== undefined && { path }) });

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

test.each(['lstat', 'stat', 'scandir', 'readlink', 'realpath', 'read'])(
  'a read that is refused is no failed write: %s',
  (syscall) => {
    const error = storageError(system('EACCES', '/closed/x', syscall));
    expect(error).toMatchObject({ name: 'RepositoryError', code: 'not-readable' });
    expect(String(error)).toContain('`/closed/x` could not be read (EACCES)');
  },
);

test('an opening that is refused is told as both, because the system does not say which', () => {
  const error = storageError(system('EACCES', '/closed/x', 'open'));
  expect(error).toMatchObject({ code: 'not-writable' });
  expect(String(error)).toContain('`/closed/x` could not be opened (EACCES)');
});

test('an opening for reading that is refused is a failed read', () => {
  const error = storageError(failedRead(system('EACCES', '/closed/x', 'open')));
  expect(error).toMatchObject({ code: 'not-readable' });
  expect(String(error)).toContain('`/closed/x` could not be read (EACCES)');
});

test.each([[system('ENOENT')], [new Error('ENOSPC')], ['ENOSPC'], [undefined]])(
  '%j is unchanged',
  (error) => {
    expect(storageError(error)).toBe(error);
  },
);

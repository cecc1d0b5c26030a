import { expect, it } from 'vitest';
import { loadPackage } from './load-package.ts';
import { UsageError } from './usage-error.ts';

function notFound(name: string): Error {
  return Object.assign(new Error(`Cannot find package '${name}' imported from /there/index.mjs`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
}

it('returns the module', async () => {
  expect(await loadPackage(['node:path'], () => import('node:path'))).toHaveProperty('join');
});

it('names the missing package and the command that installs it', async () => {
  const error: unknown = await loadPackage(['pg', 'pg-boss'], () =>
    Promise.reject(notFound('pg-boss')),
  ).catch((thrown: unknown) => thrown);
  expect(UsageError.isInstance(error) && error.code).toBe('missing-package');
  expect(String(error)).toContain('`pg-boss`, which is not installed. Install it with `npm install pg-boss`');
});

it.each([notFound('another'), new Error('broken'), 'text'])(
  'passes on any other failure: %s',
  async (cause) => {
    await expect(loadPackage(['pg'], () => Promise.reject(cause as Error))).rejects.toBe(cause);
  },
);

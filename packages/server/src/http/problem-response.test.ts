/** Faults of the database as responses: only those that pass are reported as unavailable. */
import { expect, it } from 'vitest';
import { StoreError, type StoreErrorCode } from '@truecast/core/internal/errors/store-error';
import { problemResponse } from './problem-response.ts';

it.each([
  ['busy', 503, 'unavailable'],
  ['connection-lost', 503, 'unavailable'],
  ['write-failed', 503, 'unavailable'],
  ['constraint', 500, 'internal'],
  ['query', 500, 'internal'],
] satisfies readonly (readonly [StoreErrorCode, number, string])[])(
  'a store error `%s` is %i, `%s`',
  async (code, status, told) => {
    const response = problemResponse(new StoreError('It failed.', { code }), 'request');
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code: told });
    expect(response.headers.has('retry-after')).toBe(status === 503);
  },
);

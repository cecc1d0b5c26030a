/** Claims of one worker: which of them ask the database. */
import { expect, it } from 'vitest';
import { SharedRefusals } from './shared-refusals.ts';

/** Claims that find what `finds` has, in order. */
function claims(...finds: (string | undefined)[]) {
  const shared = new SharedRefusals<string>();
  let asked = 0;
  const claim = async (): Promise<string | undefined> => {
    asked += 1;
    return finds.shift();
  };
  return { next: () => shared.next(claim), shared, asked: () => asked };
}

it('asks once for all claims that wait, and again for a later one', async () => {
  const { next, asked } = claims(undefined, undefined, 'run');
  expect(await Promise.all([next(), next(), next()])).toEqual([undefined, undefined, undefined]);
  expect(asked()).toBe(1);
  expect(await next()).toBeUndefined();
  expect(await next()).toBe('run');
  expect(asked()).toBe(3);
});

it('shares no run, and asks after each one that was found', async () => {
  const { next, asked } = claims('one', 'two', undefined);
  expect(await Promise.all([next(), next(), next(), next()])).toEqual(['one', 'two', undefined, undefined]);
  expect(asked()).toBe(3);
});

it('asks again after a claim that began before it', async () => {
  const { shared } = claims();
  const first = Promise.withResolvers<string | undefined>();
  const early = shared.next(() => first.promise);
  await Promise.resolve();
  const late = shared.next(async () => 'queued meanwhile');
  first.resolve(undefined);
  expect(await early).toBeUndefined();
  expect(await late).toBe('queued meanwhile');
});

it('shares no error', async () => {
  const { shared } = claims();
  const failed = shared.next(() => Promise.reject(new TypeError('away')));
  const next = shared.next(async () => 'run');
  await expect(failed).rejects.toThrow('away');
  expect(await next).toBe('run');
});

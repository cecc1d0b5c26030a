import { expect, it } from 'vitest';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { askPatiently } from './ask-patiently.ts';

function busy(responseHeaders: Readonly<Record<string, string>>): Error {
  return Object.assign(new RangeError('busy'), { isRetryable: true, responseHeaders });
}

/** Fails with each error in turn, then returns the elapsed milliseconds. */
function failing(errors: readonly Error[]): { readonly request: () => Promise<number>; asked: number } {
  const startedAtMs = performance.now();
  const state = {
    asked: 0,
    request: () => {
      const error = errors[state.asked];
      state.asked += 1;
      return error === undefined ? Promise.resolve(performance.now() - startedAtMs) : Promise.reject(error);
    },
  };
  return state;
}

const options = { signal: AbortSignal.timeout(20_000), isFinal: () => false };

it('waits for the milliseconds of the service, which are more exact than its seconds', async () => {
  const { request } = failing([busy({ 'retry-after': '1000', 'retry-after-ms': '40' })]);
  expect(await askPatiently(request, options)).toBeGreaterThanOrEqual(39);
});

it('waits until the date that the service names', async () => {
  const date = new Date(Date.now() + 2_000).toUTCString();
  const { request } = failing([busy({ 'retry-after': date })]);
  expect(await askPatiently(request, options)).toBeGreaterThan(700);
});

it('does not wait for a date that has passed', async () => {
  const { request } = failing([busy({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' })]);
  expect(await askPatiently(request, options)).toBeLessThan(10_000);
});

it('waits a default time, and longer the second time, if the service names none', async () => {
  const { request } = failing([busy({}), busy({ 'retry-after': 'soon' })]);
  expect(await askPatiently(request, options)).toBeGreaterThan(1_400);
});

it('gives up at once if the service requests more than a minute', async () => {
  const error = busy({ 'retry-after': '61' });
  const asking = failing([error]);
  await expect(askPatiently(asking.request, options)).rejects.toBe(error);
  expect(asking.asked).toBe(1);
});

it('gives up after the second retry', async () => {
  const asking = failing([1, 2, 3, 4].map(() => busy({ 'retry-after': '0' })));
  await expect(askPatiently(asking.request, options)).rejects.toThrow('busy');
  expect(asking.asked).toBe(3);
});

it('retries no permanent failure', async () => {
  const asking = failing([busy({ 'retry-after': '0' })]);
  await expect(askPatiently(asking.request, { ...options, isFinal: () => true })).rejects.toThrow('busy');
  expect(asking.asked).toBe(1);
});

it('retries a reply that ended early, and no other internal error', async () => {
  const broken = new ModelError('It broke off. Ask again.', { code: 'stream' });
  expect(await askPatiently(failing([broken]).request, options)).toBeGreaterThan(400);
  const refused = new ModelError('It was refused. Check the key.', { code: 'http' });
  await expect(askPatiently(failing([refused]).request, options)).rejects.toBe(refused);
});

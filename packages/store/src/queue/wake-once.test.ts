/** Wake-ups of workers: how many notifications some calls need. */
import { expect, it } from 'vitest';
import { wakeOnce } from './wake-once.ts';

/** A wake-up whose notifications end when the test says so. */
function wakeUps() {
  const sent: { readonly queue: string; readonly end: PromiseWithResolvers<void> }[] = [];
  const wake = wakeOnce((queue) => {
    const end = Promise.withResolvers<void>();
    sent.push({ queue, end });
    return end.promise;
  });
  const queues = (): readonly string[] => sent.map(({ queue }) => queue);
  const endLast = async (fail = false): Promise<void> => {
    const { end } = sent.at(-1) ?? {};
    if (fail) end?.reject(new TypeError('away'));
    else end?.resolve();
    await new Promise(setImmediate);
  };
  return { wake, queues, endLast };
}

it('sends one notification for the calls during another one', async () => {
  const { wake, queues, endLast } = wakeUps();
  wake('a');
  wake('a');
  wake('a');
  expect(queues()).toEqual(['a']);
  await endLast();
  expect(queues()).toEqual(['a', 'a']);
  await endLast();
  expect(queues()).toEqual(['a', 'a']);
  wake('a');
  expect(queues()).toEqual(['a', 'a', 'a']);
});

it('goes on after a failure, and keeps queues apart', async () => {
  const { wake, queues, endLast } = wakeUps();
  wake('a');
  wake('a');
  await endLast(true);
  wake('b');
  expect(queues()).toEqual(['a', 'a', 'b']);
});

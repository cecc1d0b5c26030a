/** Joined calls: what is sent together, and how each call ends. */
import { expect, it } from 'vitest';
import { joinCalls } from './join-calls.ts';

it('hands over the calls of a turn together, and later ones apart', async () => {
  const sent: (readonly string[])[] = [];
  const call = joinCalls<string>(async (all) => void sent.push(all));
  await Promise.all([call('a'), Promise.resolve().then(() => call('b'))]);
  await call('c');
  expect(sent).toEqual([['a', 'b'], ['c']]);
});

it('ends each call as the joined one, and goes on after a failure', async () => {
  const call = joinCalls<string>(async (all) => {
    if (all.includes('bad')) throw new TypeError('away');
  });
  const [one, other] = await Promise.allSettled([call('good'), call('bad')]);
  expect([one.status, other.status]).toEqual(['rejected', 'rejected']);
  await expect(call('good')).resolves.toBeUndefined();
});

/** Tests of the schedule of tries, and of signatures, which the official package of Standard Webhooks checks. */
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { signWebhook, webhookSecret } from './sign-webhook.ts';
import { afterTry } from './webhook-tries.ts';

const KEY = 'k'.repeat(32);

it('a try that fails is followed by nine others, over three days', () => {
  const waits: (number | undefined)[] = [];
  for (let tries = 1; tries <= 10; tries += 1) waits.push(afterTry({ status: 500 }, tries).waitMs);
  const minutes = waits.map((wait) => wait && wait / 60_000);
  expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440, undefined]);
  expect(afterTry({ error: 'away' }, 10)).toEqual({ status: 'failed' });
});

it.each([
  [200, 'delivered'],
  [299, 'delivered'],
  [410, 'gone'],
  [302, 'pending'],
  [404, 'pending'],
] as const)('an answer of %i is %s', (status, expected) => {
  expect(afterTry({ status }, 1).status).toBe(expected);
});

it('the official package accepts a signature of either secret, and no other', () => {
  const secretOf = (owner: string, counter: number) => webhookSecret(KEY, { owner, counter });
  const [first, second] = [secretOf('anna', 0), secretOf('anna', 1)];
  const body = '{"type":"run.succeeded"}';
  const message = { id: 'msg_1', timestamp: Math.floor(Date.now() / 1_000), body };
  const headers = { ...signWebhook(message, [second, first]) };
  for (const secret of [first, second]) {
    expect(new Webhook(secret).verify(body, headers)).toEqual({ type: 'run.succeeded' });
  }
  for (const secret of [
    secretOf('anna', 2),
    secretOf('ben', 0),
    webhookSecret('other'.repeat(8), { owner: 'anna', counter: 0 }),
  ]) {
    expect(() => new Webhook(secret).verify(body, headers)).toThrow('No matching signature');
  }
  expect(() => new Webhook(first).verify(`${body} `, headers)).toThrow('No matching signature');
});

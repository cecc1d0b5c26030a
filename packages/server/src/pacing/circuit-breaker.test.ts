/** Tests of a circuit breaker: whose failures open it for whom, and who gets the probe. */
import { expect, it } from 'vitest';
import { CircuitBreaker } from './circuit-breaker.ts';

const anna = (request: string) => ({ owner: 'anna', request });
const bob = (request: string) => ({ owner: 'bob', request: `of bob ${request}` });

it('stays closed while two requests fail, however often each is repeated', () => {
  const breaker = new CircuitBreaker();
  for (let nowMs = 0; nowMs < 50; nowMs += 1) {
    breaker.fail(anna('1'), nowMs);
    breaker.fail(anna('2'), nowMs);
  }
  expect([breaker.isOpen, breaker.state(50)]).toEqual([false, 'closed']);
});

it('opens for the owner of three failed requests, and for nobody else', () => {
  const breaker = new CircuitBreaker();
  for (const request of ['1', '2', '3', '4']) breaker.fail(anna(request), 0);
  expect([breaker.waitMs(anna('5'), 0), breaker.waitMs(bob('1'), 0)]).toEqual([2_000, 0]);
});

it('opens for all owners when requests of two owners fail', () => {
  const breaker = new CircuitBreaker();
  breaker.fail(anna('1'), 0);
  breaker.fail(anna('2'), 0);
  expect(breaker.fail(bob('1'), 0)).toBe(true);
  expect(breaker.waitMs({ owner: 'carl' }, 0)).toBe(2_000);
});

it('counts failures of one minute, and none before a success', () => {
  const breaker = new CircuitBreaker();
  breaker.fail(anna('1'), 0);
  breaker.fail(anna('2'), 30_000);
  breaker.fail(anna('3'), 60_000);
  expect(breaker.isOpen).toBe(false);
  breaker.fail(anna('4'), 60_000);
  expect(breaker.isOpen).toBe(true);
  expect([breaker.succeed(), breaker.succeed()]).toEqual([true, false]);
  breaker.fail(anna('5'), 60_001);
  expect(breaker.isOpen).toBe(false);
});

it('allows one probe at a time, and each later than the one before', () => {
  const breaker = new CircuitBreaker();
  for (const request of ['1', '2', '3']) breaker.fail(anna(request), 0);
  const probes: number[] = [];
  for (let nowMs = 0; nowMs <= 190_000; nowMs += 1_000) {
    for (let chat = 0; chat < 20; chat += 1) {
      if (breaker.waitMs(anna(`${chat}`), nowMs) > 0) continue;
      breaker.begin(anna(`${chat}`), nowMs);
      probes.push(nowMs);
      breaker.fail(anna(`${chat}`), nowMs);
    }
  }
  expect(probes).toEqual([2_000, 6_000, 14_000, 30_000, 62_000, 122_000, 182_000]);
});

it('allows the probe of an owner without a failure after ten seconds at most', () => {
  const breaker = new CircuitBreaker();
  for (const caller of [anna('1'), anna('2'), bob('1')]) breaker.fail(caller, 0);
  for (let probes = 0; probes < 6; probes += 1) breaker.begin(anna('1'), 100_000);
  expect(breaker.waitMs(anna('9'), 100_000)).toBe(60_000);
  expect(breaker.waitMs({ owner: 'carl' }, 100_000)).toBe(10_000);
});

it('waits as long as the service asks, and five minutes at most', () => {
  const breaker = new CircuitBreaker();
  for (const request of ['1', '2']) breaker.fail(anna(request), 0);
  breaker.fail(anna('3'), 0, 200_000);
  expect([breaker.waitMs(anna('4'), 0), breaker.state(199_999), breaker.state(200_000)]).toEqual([
    200_000,
    'open',
    'probing',
  ]);
  breaker.fail(anna('3'), 0, 86_400_000);
  expect(breaker.waitMs(anna('4'), 0)).toBe(300_000);
});

it('prefers for a probe other owners, then other requests, then the oldest failure', () => {
  const breaker = new CircuitBreaker();
  breaker.fail(anna('1'), 0);
  breaker.fail(anna('2'), 5);
  breaker.fail(bob('1'), 9);
  const waiting = [anna('2'), bob('1'), anna('1'), anna('3'), { owner: 'carl', request: 'first' }];
  const order = waiting.toSorted((one, other) => breaker.rank(one) - breaker.rank(other));
  expect(order.map(({ request }) => request)).toEqual(['first', '3', '1', '2', 'of bob 1']);
});

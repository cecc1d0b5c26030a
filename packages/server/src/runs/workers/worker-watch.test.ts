import { expect, it } from 'vitest';
import { WorkerWatch } from './worker-watch.ts';

function watch(): { readonly at: (ms: number, heartbeatAt: number | undefined) => boolean } {
  let nowMs = 0;
  const each = new WorkerWatch({ leaseMs: 100, gapMs: 60, now: () => nowMs });
  return {
    at: (ms, heartbeatAt) => {
      nowMs = ms;
      return each.read([{ worker: 'w', heartbeatAt }])('w');
    },
  };
}

it('reports a worker as lost after a lease without a new heartbeat', () => {
  const { at } = watch();
  expect([at(0, 1), at(50, 1), at(99, 1), at(100, 1)]).toEqual([false, false, false, true]);
});

it('waits for a second lease if it is asked for one', () => {
  let nowMs = 0;
  const each = new WorkerWatch({ leaseMs: 100, gapMs: 60, now: () => nowMs });
  const lost = [0, 50, 100, 150, 199, 200].map((ms) => {
    nowMs = ms;
    return each.read([{ worker: 'w', heartbeatAt: 1 }])('w', 2);
  });
  expect(lost).toEqual([false, false, false, false, false, true]);
});

it('begins again with each heartbeat, also of a clock that steps back', () => {
  const { at } = watch();
  expect([at(0, 9), at(50, 5), at(100, 5), at(149, 5), at(150, 5)]).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
});

it('begins again after a time in which it could not read itself', () => {
  const { at } = watch();
  expect([at(0, 1), at(50, 1), at(111, 1), at(160, 1), at(211, 1)]).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
});

it('waits for a worker without a row too', () => {
  const { at } = watch();
  expect([at(0, undefined), at(60, undefined), at(100, undefined)]).toEqual([false, false, true]);
});

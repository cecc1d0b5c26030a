import { describe, expect, it } from 'vitest';
import { LoopSlices } from './loop-slices.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('slices of the event loop', () => {
  it('let few callers begin in each turn, in their order', async () => {
    const slices = new LoopSlices(3);
    const begun: number[] = [];
    const counts: number[] = [];
    for (let caller = 0; caller < 8; caller += 1) void slices.next().then(() => begun.push(caller));
    await Promise.resolve();
    for (let turns = 0; turns < 3; turns += 1) {
      counts.push(begun.length);
      await turn();
    }
    expect([counts, begun]).toEqual([
      [3, 6, 8],
      [0, 1, 2, 3, 4, 5, 6, 7],
    ]);
  });

  it('let a caller of a later turn begin at once', async () => {
    const slices = new LoopSlices(1);
    await slices.next();
    await turn();
    let hasBegun = false;
    void slices.next().then(() => (hasBegun = true));
    await Promise.resolve();
    await Promise.resolve();
    expect(hasBegun).toBe(true);
  });

  it('keep the order of a caller that arrives while others wait', async () => {
    const slices = new LoopSlices(1);
    const begun: string[] = [];
    for (const name of ['a', 'b', 'c']) void slices.next().then(() => begun.push(name));
    await turn();
    void slices.next().then(() => begun.push('d'));
    for (let turns = 0; turns < 3; turns += 1) await turn();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });
});

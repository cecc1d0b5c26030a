import { expect, it } from 'vitest';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { makeRepository } from './fixture.ts';
import { checkHistory, prepareHistory } from './guest-git-history.ts';

/** `npm run fuzz:guest-git` runs 10,000 of them. */
const SEQUENCES = 24;

describeInBubblewrap('the history of the host', () => {
  it('changes on the branch of the run alone, whatever a guest does in its git directory', async () => {
    const path = makeRepository();
    prepareHistory(path);
    const report = await checkHistory(path, { seed: 1, from: 0, to: SEQUENCES });
    const { violations, handedOver, moved, recovered } = report;
    expect(violations).toEqual([]);
    expect(handedOver).toBeGreaterThan(SEQUENCES / 3);
    // Without work of both kinds, no violation could be found.
    expect(moved).toBeGreaterThan(2);
    expect(recovered).toBeGreaterThan(5);
  });
});

/** Paired comparison of two contestants on the same inputs: an exact test by input. Pure. */

/** Result of a paired comparison. */
export interface PairedTest {
  readonly pairs: number;
  /** Pairs in which only the first one succeeded. */
  readonly onlyFirst: number;
  /** Pairs in which only the second one succeeded. */
  readonly onlySecond: number;
  /** Rate of the first minus that of the second. */
  readonly difference: number;
  /** Two-sided. 1 if no pair differs. */
  readonly p: number;
}

/** Outcomes of a pair: whether the first, and whether the second one succeeded. */
export type PairOutcome = readonly [boolean, boolean];

/**
 * Compares the pairs of each input. If the contestants do not differ, they can be exchanged on each
 * input, with all its repeats. With one pair per input, this is McNemar's exact test.
 */
export function comparePairs(inputs: readonly (readonly PairOutcome[])[]): PairedTest {
  const outcomes = inputs.flat();
  const onlyFirst = outcomes.filter(([first, second]) => first && !second).length;
  const onlySecond = outcomes.filter(([first, second]) => second && !first).length;
  const pairs = outcomes.length;
  const difference = pairs === 0 ? 0 : (onlyFirst - onlySecond) / pairs;
  const leads = inputs.map((input) =>
    input.reduce((sum, [first, second]) => sum + Number(first) - Number(second), 0),
  );
  return { pairs, onlyFirst, onlySecond, difference, p: signFlipP(leads.filter((lead) => lead !== 0)) };
}

/** Share of all choices of signs whose sum is at least as far from 0. Exact, input by input. */
function signFlipP(leads: readonly number[]): number {
  const reach = leads.reduce((sum, lead) => sum + Math.abs(lead), 0);
  const seen = Math.abs(leads.reduce((sum, lead) => sum + lead, 0));
  // Probability of each sum from -reach to reach.
  let shares = new Float64Array(2 * reach + 1);
  let next = new Float64Array(shares.length);
  shares[reach] = 1;
  let farthest = 0;
  for (const lead of leads) {
    next.fill(0);
    // A plain loop over the sums so far: thousands of inputs make millions of steps.
    for (let at = reach - farthest; at <= reach + farthest; at += 1) {
      const half = (shares[at] ?? 0) / 2;
      // Of equal leads, every second sum is impossible.
      if (half === 0) continue;
      next[at - lead] = (next[at - lead] ?? 0) + half;
      next[at + lead] = (next[at + lead] ?? 0) + half;
    }
    farthest += Math.abs(lead);
    [shares, next] = [next, shares];
  }
  const far = shares.filter((_, at) => Math.abs(at - reach) >= seen);
  return Math.min(
    1,
    far.reduce((sum, share) => sum + share, 0),
  );
}

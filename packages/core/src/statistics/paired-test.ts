/** Paired comparison of two contestants on the same trials: McNemar's exact test. Pure. */

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

/** Compares the outcomes of pairs: whether the first, and whether the second one succeeded. */
export function comparePairs(outcomes: readonly (readonly [boolean, boolean])[]): PairedTest {
  const onlyFirst = outcomes.filter(([first, second]) => first && !second).length;
  const onlySecond = outcomes.filter(([first, second]) => second && !first).length;
  const pairs = outcomes.length;
  const difference = pairs === 0 ? 0 : (onlyFirst - onlySecond) / pairs;
  return { pairs, onlyFirst, onlySecond, difference, p: mcnemarP(onlyFirst, onlySecond) };
}

/** Binomial test that both discordant counts are equally likely. In logarithms: 0.5^n underflows. */
function mcnemarP(one: number, other: number): number {
  const count = one + other;
  let logTerm = -count * Math.LN2;
  let sum = Math.exp(logTerm);
  for (let index = 1; index <= Math.min(one, other); index += 1) {
    logTerm += Math.log((count - index + 1) / index);
    sum += Math.exp(logTerm);
  }
  return Math.min(1, 2 * sum);
}

/** Spend account of the proof with real models: what each contestant can still cost. Pure. */

/** Shares of one limit. A share that is not used is not given to another contestant. */
export interface SpendAccount {
  /** Dollars that the next task of a contestant can cost. 0 or less if nothing is left. */
  left(contestant: string): number;
  /** Charges a task. A task without a known cost is charged all that it was allowed. */
  charge(contestant: string, costUsd: number | undefined): void;
  /** Dollars of all tasks together. */
  spent(): number;
}

/** Splits the limit into equal shares. */
export function createSpendAccount(limitUsd: number, contestants: readonly string[]): SpendAccount {
  const share = limitUsd / Math.max(1, contestants.length);
  const spent = new Map(contestants.map((name) => [name, 0]));
  const left = (contestant: string): number => share - (spent.get(contestant) ?? share);
  return {
    left,
    charge(contestant, costUsd) {
      const charged = costUsd ?? Math.max(0, left(contestant));
      spent.set(contestant, (spent.get(contestant) ?? 0) + charged);
    },
    spent: () => [...spent.values()].reduce((sum, usd) => sum + usd, 0),
  };
}

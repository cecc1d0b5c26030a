/** Times contestants in turn, so that a slow moment of the machine affects all of them. */

/** A contestant's timed work. A returned promise is awaited. */
export type Contestant = () => unknown;

export interface TakeTurnsOptions {
  /** Untimed warm-up rounds. @default 1 */
  readonly warmUpRounds?: number;
  readonly minRounds: number;
  readonly maxRounds: number;
  /** Time after which no new round starts, once `minRounds` are done. */
  readonly budgetMs: number;
  /** Collects garbage before each sample, for work that leaves a lot of it. @default false */
  readonly collectsGarbage?: boolean;
}

/**
 * Runs A B C, A B C, … and returns each contestant's samples in milliseconds. The same index is the
 * same round.
 */
export async function takeTurns<TName extends string>(
  contestants: Readonly<Record<TName, Contestant>>,
  options: TakeTurnsOptions,
): Promise<Record<TName, number[]>> {
  const names = Object.keys(contestants) as TName[]; // `Object.keys` loses the names that the parameter declares.
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<TName, number[]>; // Has the same names.
  for (let round = 0; round < (options.warmUpRounds ?? 1); round += 1) {
    for (const name of names) await contestants[name]();
  }
  const startedAt = performance.now();
  for (let round = 0; round < options.maxRounds; round += 1) {
    if (round >= options.minRounds && performance.now() - startedAt > options.budgetMs) break;
    for (const name of names) {
      if (options.collectsGarbage === true) globalThis.gc?.();
      samples[name].push(await timeOnce(contestants[name]));
    }
  }
  return samples;
}

/** Returns the milliseconds of one call, including its promise. */
async function timeOnce(contestant: Contestant): Promise<number> {
  const startedAt = performance.now();
  const pending = contestant();
  if (pending instanceof Promise) await pending;
  return performance.now() - startedAt;
}

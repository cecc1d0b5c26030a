/**
 * Work budget: counts the cost of one call and throws beyond a limit. Counted, never timed. Pure.
 */
import { SchemaError } from '../../errors/schema-error.ts';
import type { WorkMeter } from './work-meter.ts';

export interface WorkBudgetOptions {
  readonly maxWork: number;
  /** Name of the work, as the subject of a sentence. */
  readonly work: string;
  /** Remedy for a refusal, as a sentence. */
  readonly advice: string;
}

/** Counts the work of one call. A unit takes some tens of nanoseconds. */
export class WorkBudget implements WorkMeter {
  readonly maxWork: number;
  readonly #options: WorkBudgetOptions;
  #left: number;

  constructor(options: WorkBudgetOptions) {
    this.#options = options;
    this.maxWork = options.maxWork;
    this.#left = options.maxWork;
  }

  /** Number of spent units. */
  get spent(): number {
    return this.maxWork - this.#left;
  }

  /** Number of remaining units. */
  get remaining(): number {
    return Math.max(0, this.#left);
  }

  /** @throws SchemaError `too-much-work`, with the path */
  spend(units: number, path: readonly (string | number)[] = []): void {
    this.#left -= units;
    if (this.#left >= 0) return;
    const { work, maxWork, advice } = this.#options;
    throw new SchemaError(`${work} needs more work than its limit of ${maxWork} units. ${advice}`, {
      code: 'too-much-work',
      path: [...path],
    });
  }
}

/** A RangeError here means a stack overflow by recursion: the schema or the value is too deep. */
export function guardDepth<TResult>(work: () => TResult, subject: string): TResult {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new SchemaError(
      `The call stack is too small for the nesting of ${subject}. Reduce the nesting, or call the function from a shallower stack.`,
      { code: 'too-deep', path: [], cause },
    );
  }
}

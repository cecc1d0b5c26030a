/**
 * Work budget: counts the cost of one call and throws beyond a limit. Counted, never timed. Pure.
 */
import { SchemaError } from '../../errors/schema-error.ts';

/** Receives each amount of work when it is done. Throws if the total is too much. */
export interface WorkMeter {
  spend(units: number): void;
}

interface WorkBudgetOptions {
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

  get spent(): number {
    return this.maxWork - this.#left;
  }

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

/** Returns the size in values and sixteenths of text. Stops soon after `enough`. */
export function treeSize(root: unknown, enough: number): number {
  const open: unknown[] = [root];
  let size = 0;
  for (let count = 1; count > 0 && size <= enough; count = open.length) {
    const value = open.pop();
    size += 1;
    if (typeof value === 'string') size += value.length >> 4;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      size += key.length >> 4;
      open.push(member);
    }
    // Pending values count already, because a value with shared objects must not fill the memory
    // first.
    if (open.length > enough) return open.length;
  }
  return size;
}

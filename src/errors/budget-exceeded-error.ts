/** Owns the error for a call of a model that went over a bound of its run. Pure. */
import { brand, isBranded, TruecastError } from './truecast-error.ts';

/** Which bound was passed: `calls-per-turn` ends the turn, the others end the run. */
export type BudgetExceededErrorCode = 'calls-per-turn' | 'calls' | 'tokens' | 'usd-per-hour' | 'failures';

/**
 * Says that a call went over its run's budget: it is charged, and its answer is not used.
 *
 * Thrown by `AgentTurn.charge()`; an agent lets it pass, and the conductor ends the turn or the run.
 *
 * @example
 * ```ts
 * if (BudgetExceededError.isInstance(error)) console.error(error.code);
 * ```
 */
export class BudgetExceededError extends TruecastError {
  override readonly name: string = 'BudgetExceededError';
  declare readonly code: BudgetExceededErrorCode;

  constructor(message: string, options: { readonly code: BudgetExceededErrorCode }) {
    super(message, options);
    brand(this, 'BudgetExceededError');
  }

  /** Tells whether `error` is a `BudgetExceededError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is BudgetExceededError {
    return isBranded(error, 'BudgetExceededError');
  }
}

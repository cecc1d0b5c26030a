/** Error of a model call that exceeded a budget limit. Pure. */
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';

/** The limit that was exceeded. `calls-per-turn` ends the turn, the others end the run. */
export type BudgetExceededErrorCode = 'calls-per-turn' | 'calls' | 'tokens' | 'usd-per-hour' | 'failures';

/**
 * Thrown when a call exceeds its run's budget. The call is charged, and its answer is not used.
 *
 * Thrown by `AgentTurn.charge()`. An agent lets it propagate, and the conductor ends the turn or
 * the run.
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

  /**
   * Returns true if `error` is a `BudgetExceededError`, including one from another copy of the
   * package.
   */
  static override isInstance(error: unknown): error is BudgetExceededError {
    return isBranded(error, 'BudgetExceededError');
  }
}

/** Shared budget: lets several runs spend from one ledger, as the `budget` option of each. */
import type { Budget } from '../options/run-bounds.ts';
import type { SpendLedger } from './spend-ledger.ts';

/** Budget of several runs. It sets no limit on a single one. */
export class SharedBudget implements Budget {
  readonly requests?: number;
  /** Not a property, because options with unknown names are refused. */
  readonly #ledger: SpendLedger;

  constructor(ledger: SpendLedger) {
    this.#ledger = ledger;
  }

  /** The ledger of all runs. */
  get ledger(): SpendLedger {
    return this.#ledger;
  }
}

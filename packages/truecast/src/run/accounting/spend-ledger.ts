/**
 * Spend ledger: keeps a run within its budget. Each model request reserves its maximum, and is
 * charged its actual usage.
 *
 * The remaining budget is never reserved twice. A request that needs more than the remainder is
 * sent alone, so at most one exceeds the budget.
 */
import type { LimitError } from '@truecast/core/internal/errors/limit-error';
import { priceUsage, type Prices, NO_USAGE, sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import { budgetError } from './budget.ts';
import type { Budget } from '../options/run-bounds.ts';
import type { ModelReservation, ModelSpend } from '../../ports/egress-observer.ts';

/** Account of the requests of one run. */
export interface SpendAccount {
  /**
   * Reserves a request's maximum. Waits until that much is left, or until no other request is in
   * flight.
   */
  reserve(spend: ModelSpend, signal: AbortSignal): Promise<ModelReservation>;
  /**
   * Charges requests in flight and closes the account. Returns the error of an exhausted budget.
   */
  close(): LimitError | undefined;
}

/** Account of all requests of one budget. */
export interface SpendLedger extends SpendAccount {
  readonly budget: Budget;
  /**
   * Opens an account for one of several runs that share the budget. Closing it does not affect the
   * others.
   */
  open(): SpendAccount;
}

export interface SpendLedgerOptions {
  readonly budget: Budget;
  readonly prices: Prices | undefined;
  /** Usage before the first request. @default none */
  readonly charged?: Usage | undefined;
  /** Called with the error as soon as the budget is exhausted. */
  readonly onSpent: (error: LimitError) => void;
}

export function createSpendLedger(options: SpendLedgerOptions): SpendLedger {
  return new Ledger(options);
}

const RUN_IS_OVER = 'The run is over.';

interface Waiter {
  readonly spend: ModelSpend;
  readonly resolve: (reservation: ModelReservation) => void;
}

class Ledger implements SpendLedger {
  readonly budget: Budget;
  readonly #options: SpendLedgerOptions;
  readonly #open = new Set<ModelSpend>();
  readonly #waiting: Waiter[] = [];
  #charged: Usage;
  #requests = 0;
  #error: LimitError | undefined;
  #isClosed = false;

  constructor(options: SpendLedgerOptions) {
    this.budget = options.budget;
    this.#options = options;
    this.#charged = this.#price([options.charged ?? NO_USAGE]);
  }

  reserve(spend: ModelSpend, signal: AbortSignal): Promise<ModelReservation> {
    return new Promise((resolve) => {
      const waiter = { spend, resolve };
      this.#waiting.push(waiter);
      const leave = (): void => {
        const at = this.#waiting.indexOf(waiter);
        if (at === -1) return;
        this.#waiting.splice(at, 1);
        resolve({ type: 'refuse', message: 'The request was cancelled while it waited.' });
        this.#admit();
      };
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      this.#admit();
    });
  }

  open(): SpendAccount {
    const ended = new AbortController();
    const own = new Set<() => void>();
    return {
      reserve: async (spend, signal) => {
        const reserved = await this.reserve(spend, AbortSignal.any([signal, ended.signal]));
        if (reserved.type === 'refuse') return reserved;
        const settle = (): void => {
          own.delete(settle);
          reserved.settle();
        };
        own.add(settle);
        if (!ended.signal.aborted) return { type: 'grant', settle };
        // The run ended after the grant, before the request was sent.
        settle();
        return { type: 'refuse', message: RUN_IS_OVER };
      },
      close: () => {
        ended.abort();
        own.forEach((settle) => settle());
        return this.#error;
      },
    };
  }

  close(): LimitError | undefined {
    this.#isClosed = true;
    for (const spend of this.#open) this.#settle(spend);
    this.#admit();
    return this.#error;
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const { spend, resolve } = next;
      if (this.#error === undefined) this.#checkRequests();
      const refusal = this.#error?.message ?? (this.#isClosed ? RUN_IS_OVER : undefined);
      if (refusal === undefined && !this.#fits(spend)) return;
      this.#waiting.shift();
      if (refusal !== undefined) {
        resolve({ type: 'refuse', message: refusal });
        continue;
      }
      this.#requests += 1;
      this.#open.add(spend);
      resolve({ type: 'grant', settle: () => this.#settle(spend) });
    }
  }

  #fits(spend: ModelSpend): boolean {
    if (this.#open.size === 0) return true;
    const usages = [...this.#open, spend].map(({ most }) => toUsage(most));
    return budgetError(this.#price([this.#charged, ...usages]), this.#options.budget) === undefined;
  }

  #settle(spend: ModelSpend): void {
    if (!this.#open.delete(spend)) return;
    this.#charged = this.#price([this.#charged, chargeOf(spend)]);
    this.#fail(budgetError(this.#charged, this.#options.budget));
    this.#admit();
  }

  #checkRequests(): void {
    this.#fail(budgetError(this.#charged, this.#options.budget, this.#requests + 1));
  }

  #fail(error: LimitError | undefined): void {
    if (error === undefined || this.#error !== undefined) return;
    this.#error = error;
    this.#options.onSpent(error);
  }

  #price(usages: readonly Usage[]): Usage {
    const { costUsd: _, ...sum } = sumUsage(usages) ?? NO_USAGE;
    return priceUsage(sum, this.#options.prices);
  }
}

/** A request without a count is charged its maximum. */
function chargeOf({ most, used }: ModelSpend): Usage {
  const told = used();
  if (told.isFinal) return told.usage ?? NO_USAGE;
  const counted = told.usage ?? NO_USAGE;
  const bound = toUsage(most);
  return {
    ...counted,
    // A counted part replaces its estimate. Input is reported first.
    inputTokens: counted.inputTokens > 0 ? counted.inputTokens : bound.inputTokens,
    outputTokens: Math.max(counted.outputTokens, bound.outputTokens),
  };
}

function toUsage({ inputTokens, outputTokens }: ModelSpend['most']): Usage {
  return { ...NO_USAGE, inputTokens, outputTokens };
}

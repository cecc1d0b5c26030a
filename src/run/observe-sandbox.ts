/**
 * Network observer of a run's sandbox: refusals become warnings, and model requests stay within the
 * budget.
 */
import type { LimitError } from '../errors/limit-error.ts';
import { priceUsage } from '../errors/prices.ts';
import type { WorkingContext } from './run-context.ts';
import { addModelUsage } from './run-progress.ts';
import { createSpendLedger } from './spend-ledger.ts';

/** Observation of a run's sandbox. */
export interface SandboxObservation {
  /** Charges requests in flight. Returns the error of an exhausted budget. */
  closeBudget(): LimitError | undefined;
  /** Stops observing. */
  end(): void;
}

/** Observes until `end()`. */
export function observeSandbox({
  options,
  progress,
  stop,
  warn,
  workspace,
}: WorkingContext): SandboxObservation {
  const { budget, prices } = options;
  const ledger =
    budget === undefined
      ? undefined
      : createSpendLedger({ budget, prices, onSpent: (error) => stop.stop(error) });
  const end = workspace.handle.observeEgress?.({
    onWarning: warn,
    onModelUsage(usage, model) {
      addModelUsage(progress, priceUsage(usage, prices));
      progress.model ??= model;
    },
    ...(ledger !== undefined && {
      reserveModel: (spend, signal) => ledger.reserve(spend, signal),
    }),
  });
  return { closeBudget: () => ledger?.close(), end: () => end?.() };
}

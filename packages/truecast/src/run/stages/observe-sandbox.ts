/**
 * Network observer of a run's sandbox: refusals become warnings, and model requests stay within the
 * budget.
 */
import type { LimitError } from '@truecast/core/internal/errors/limit-error';
import { priceUsage } from '@truecast/core/internal/kit/usage';
import type { WorkingContext } from '../context/run-context.ts';
import { addModelUsage } from '../context/run-progress.ts';
import type { RunStop } from '../context/run-stop.ts';
import { SharedBudget } from '../accounting/shared-budget.ts';
import { createSpendLedger, type SpendAccount } from '../accounting/spend-ledger.ts';

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
  const { prices } = options;
  const spending = openAccount(options, stop);
  const end = workspace.handle.observeEgress?.({
    onWarning: warn,
    onModelAnswer(failure) {
      if (failure !== undefined && failure !== progress.modelFailure) warn(failure);
      progress.modelFailure = failure;
    },
    onModelUsage(usage, model) {
      addModelUsage(progress, priceUsage(usage, prices));
      progress.model ??= model;
    },
    ...(spending !== undefined && {
      reserveModel: (spend, signal) => spending.reserve(spend, signal),
    }),
  });
  return { closeBudget: () => spending?.close(), end: () => end?.() };
}

/** The owner of a shared budget stops its runs itself. */
function openAccount({ budget, prices }: WorkingContext['options'], stop: RunStop): SpendAccount | undefined {
  if (budget instanceof SharedBudget) return budget.ledger.open();
  if (budget === undefined) return undefined;
  return createSpendLedger({ budget, prices, onSpent: (error) => stop.stop(error) });
}

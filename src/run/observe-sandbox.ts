/** Owns what a run hears of its sandbox's network: refused hosts become warnings, the model's usage is held against the budget. */
import { priceUsage } from '../errors/prices.ts';
import { budgetError } from './budget.ts';
import type { WorkingContext } from './run-context.ts';
import { addModelUsage, totalModelUsage } from './run-progress.ts';

/** Listens until the returned function is called. */
export function observeSandbox({ options, progress, stop, warn, workspace }: WorkingContext): () => void {
  const spent = (): ReturnType<typeof budgetError> => budgetError(totalModelUsage(progress), options.budget);
  const unobserve = workspace.handle.observeEgress?.({
    onWarning: warn,
    onModelUsage(usage, model) {
      addModelUsage(progress, priceUsage(usage, options.prices));
      progress.model ??= model;
      const error = spent();
      if (error !== undefined) stop.stop(error);
    },
    // What is still under way inside must not spend more until it is killed.
    refuseModel: () => spent()?.message,
  });
  return unobserve ?? (() => undefined);
}

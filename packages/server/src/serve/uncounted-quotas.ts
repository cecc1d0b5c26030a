/** Warnings about quotas that calls escape, because their service reports no tokens or has no price. */
import { quotaOf, type QuotaSettings } from '../contract/quotas.ts';
import type { ServerLog } from '../log/server-log.ts';
import type { ObservedCall, OnModelCall } from '../models/observed-step.ts';

/** Creates the observer. It warns once for each model and limit. */
export function uncountedQuotas(quotas: QuotaSettings | undefined, log: ServerLog): OnModelCall {
  const told = new Set<string>();
  return (call) => {
    const limit = uncountedLimit(quotas, call);
    const { model } = call;
    if (limit === undefined || told.has(`${limit} ${model}`)) return;
    told.add(`${limit} ${model}`);
    const cure =
      limit === 'tokens'
        ? 'Limit `turns` too, or use a service that reports its tokens.'
        : 'Set `prices` of the model in the file of models, or limit `turns` too.';
    log.warn(`The quota of \`${limit}\` does not include the calls of this model. ${cure}`, {
      event: 'quota_uncounted',
      model,
      limit,
    });
  };
}

/** Returns the limit that a call escapes. A failed or interrupted call reports nothing anyway. */
function uncountedLimit(
  quotas: QuotaSettings | undefined,
  { origin, outcome, usage }: ObservedCall,
): 'tokens' | 'costUsd' | undefined {
  if (outcome === 'failed' || outcome === 'interrupted' || origin.ownerId === undefined) return undefined;
  const quota = quotaOf(quotas, origin.ownerId);
  if (quota?.tokens !== undefined && usage === undefined) return 'tokens';
  return quota?.costUsd !== undefined && usage?.costUsd === undefined ? 'costUsd' : undefined;
}

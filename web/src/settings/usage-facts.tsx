/** Use of the owner's quotas in this period. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { usageView, type UsageView } from '@truecast/client/internal/wire/account';
import { countText, exactTime, money } from '../parts/format.ts';
import { ProblemBox, Skeleton } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';

interface Use {
  readonly name: string;
  readonly used: number;
  readonly limit: number | undefined;
  readonly format: (value: number) => string;
}

/** Renders a bar for each limited amount, and the number of the others. */
export function UsageFacts(): ReactNode {
  const { call } = useSession();
  const usage = useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => call({ method: 'GET', path: '/api/usage', shape: usageView, signal }),
  });
  if (usage.data === undefined) {
    return (
      <div className="p-4">
        {usage.isPending && <Skeleton rows={2} />}
        {usage.error !== null && <ProblemBox error={usage.error} onRetry={() => void usage.refetch()} />}
      </div>
    );
  }
  const { period } = usage.data;
  return (
    <div className="px-4 py-3">
      <dl className="grid gap-x-6 gap-y-3 @2xl:grid-cols-3">
        {usesOf(usage.data).map(({ name, used, limit, format }) => (
          <div key={name}>
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="font-medium">
              {format(used)}
              {limit !== undefined && <span className="font-normal text-muted"> of {format(limit)}</span>}
            </dd>
            {limit !== undefined && (
              <dd aria-hidden="true" className="mt-1 h-1.5 overflow-hidden rounded-full bg-hover">
                <span
                  className={`block h-full rounded-full ${used >= limit ? 'bg-bad-fill' : 'bg-accent'}`}
                  style={{ width: `${Math.min(100, (100 * used) / Math.max(limit, 1e-9))}%` }}
                />
              </dd>
            )}
          </div>
        ))}
      </dl>
      <p className="mt-3 text-xs text-muted">
        {period === undefined
          ? 'This server has no quota, so turns, tokens and cost are not counted.'
          : `This ${period.name}. It starts again at ${exactTime(period.resets_at)}.`}
      </p>
    </div>
  );
}

function usesOf({ period, chats, concurrent_turns: turns, limits }: UsageView): readonly Use[] {
  const counted: readonly Use[] =
    period === undefined
      ? []
      : [
          { name: 'Turns', used: period.turns, limit: limits.turns, format: countText },
          { name: 'Tokens', used: period.tokens, limit: limits.tokens, format: countText },
          { name: 'Cost', used: period.cost_usd, limit: limits.cost_usd, format: money },
        ];
  return [
    ...counted,
    { name: 'Chats', used: chats, limit: limits.chats, format: countText },
    { name: 'Turns now', used: turns, limit: limits.concurrent_turns, format: countText },
  ];
}

/** The latest receipts, on the start page. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { toQuery } from '@truecast/client/internal/to-query';
import { requestPageView } from '@truecast/client/internal/wire/request';
import { ReceiptRows, type ReceiptRow } from '../receipts/receipt-rows.tsx';
import { useSession } from '../session/session.tsx';

const SHOWN = 5;
/** With as many requests, a person knows the page and comes for the receipts. */
const MANY = 10;

export interface RecentRequests {
  readonly requests: readonly ReceiptRow[];
  readonly isMany: boolean;
}

/** Returns the latest requests. None until they are read. */
export function useRecentRequests(): RecentRequests {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: ['requests', 'recent'],
    queryFn: ({ signal }) => {
      const path = `/api/requests${toQuery({ limit: MANY, preview: 'true' })}`;
      return call({ method: 'GET', path, shape: requestPageView, signal });
    },
  });
  const requests = data?.requests ?? [];
  return { requests, isMany: requests.length >= MANY };
}

/** Renders the rows, or nothing before the first request. */
export function RecentReceipts({ requests }: Pick<RecentRequests, 'requests'>): ReactNode {
  if (requests.length === 0) return null;
  return (
    <section aria-label="Recent" className="mt-8">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 className="font-semibold">Recent</h2>
        <Link href="/requests" className="text-accent underline">
          All receipts
        </Link>
      </div>
      <ReceiptRows requests={requests.slice(0, SHOWN)} />
    </section>
  );
}

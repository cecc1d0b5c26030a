/** Address of a receipt by its id alone, such as a pasted one: it opens the page of the receipt. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Redirect } from 'wouter';
import { requestDetailView } from '@truecast/client/internal/wire/request';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { receiptPath } from '../receipts/receipt-rows.tsx';
import { useSession } from '../session/session.tsx';

/** Reads the chat of the request, which the address of its page contains. */
export function FoundReceipt({ requestId }: { readonly requestId: string }): ReactNode {
  const { call } = useSession();
  const path = `/api/requests/${encodeURIComponent(requestId)}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['requests', 'of', requestId],
    queryFn: ({ signal }) => call({ method: 'GET', path, shape: requestDetailView, signal }),
  });
  if (data !== undefined) return <Redirect to={receiptPath(data.request)} replace />;
  return (
    <Page title="Receipt" crumb={{ href: '/requests', name: 'Receipts' }}>
      {error === null ? <Skeleton /> : <ProblemBox error={error} onRetry={() => void refetch()} />}
    </Page>
  );
}

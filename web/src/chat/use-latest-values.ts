/** Beginning of the latest value of each chat, from the newest requests. */
import { useQuery } from '@tanstack/react-query';
import { toQuery } from '@truecast/client/internal/to-query';
import { receiptListCheck } from '../receipts/receipt-list-check.ts';
import { useSession } from '../session/session.tsx';

/** Maximum length of a page of requests. Older chats have no value in the list. */
const REQUESTS = 100;

/** Returns the values by the chat's id. Empty until they are known. */
export function useLatestValues(): ReadonlyMap<string, string> {
  const { call } = useSession();
  const requests = useQuery({
    queryKey: ['requests', 'latest values'],
    queryFn: ({ signal }) => {
      const path = `/api/requests${toQuery({ limit: REQUESTS, status: 'succeeded', preview: 'true' })}`;
      return call({ method: 'GET', path, check: receiptListCheck, signal });
    },
  });
  const values = new Map<string, string>();
  for (const { chat_id: chat, value_preview: value } of requests.data?.requests ?? [])
    if (value !== undefined && !values.has(chat)) values.set(chat, value);
  return values;
}

/**
 * Links from a receipt to the ones before and after it, in the list that the address describes. Each is
 * one read of one row, so they are right after a reload, and where the list has not loaded its page.
 */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Receipt } from '@truecast/client';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { requestPageView } from '@truecast/client/internal/wire/request';
import { Icon } from '../parts/icon.tsx';
import { useSession } from '../session/session.tsx';
import { parametersOf, type AskedReceipts } from './asked-receipts.ts';
import { positionOf } from './receipt-position.ts';
import { receiptPath } from './receipt-rows.tsx';

interface NeighboursProps {
  /** Undefined until it is read. */
  readonly receipt: Receipt | undefined;
  readonly asked: AskedReceipts;
}

/** Renders both. One without a receipt is disabled, so that the other one keeps its place. */
export function Neighbours({ receipt, asked }: NeighboursProps): ReactNode {
  const { call } = useSession();
  const { filters, order, days, range, search } = asked;
  const after = receipt && positionOf(receipt, order.sort);
  const { data } = useQuery({
    // A change of the owner's requests marks it as stale.
    queryKey: ['requests', 'neighbours', after, filters, order, days, range],
    enabled: after !== undefined,
    queryFn: async ({ signal }) => {
      const read = async (direction: 'asc' | 'desc'): Promise<string | undefined> => {
        const query = toQuery({ ...parametersOf(asked), limit: 1, after, direction });
        const page = await call({
          method: 'GET',
          path: `/api/requests${query}`,
          shape: requestPageView,
          signal,
        });
        return page.requests.map(receiptPath)[0];
      };
      const [smaller, larger] = await Promise.all([read('desc'), read('asc')]);
      return order.direction === 'asc'
        ? { previous: smaller, next: larger }
        : { previous: larger, next: smaller };
    },
  });
  return (
    <nav aria-label="Receipts of the list" className="flex gap-2">
      <Neighbour name="Previous" press="k" path={data?.previous} search={search} />
      <Neighbour name="Next" press="j" path={data?.next} search={search} />
    </nav>
  );
}

interface NeighbourProps {
  readonly name: string;
  /** Key that opens it. */
  readonly press: string;
  readonly path: string | undefined;
  readonly search: string;
}

function Neighbour({ name, press, path, search }: NeighbourProps): ReactNode {
  const content = (
    <>
      <Icon name="fold" className={press === 'k' ? 'size-4 rotate-180' : 'size-4'} />
      <span className="@max-5xl:sr-only">{name}</span>
    </>
  );
  if (path === undefined) {
    return (
      // The key has no other meaning here.
      <button type="button" className="button" data-press={press} disabled>
        {content}
      </button>
    );
  }
  return (
    <Link
      href={`${path}${search}`}
      className="button"
      title={`${name} receipt (${press})`}
      data-action={`${name} receipt`}
      data-press={press}
    >
      {content}
    </Link>
  );
}

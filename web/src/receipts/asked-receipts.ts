/**
 * Filters and order of the list of receipts, as the address has them. The page of a receipt has the same
 * ones, so that its neighbours are those of the list.
 */
import { useSearchParams } from 'wouter';
import { isRange, type ChartRange } from '../parts/bucket-text.ts';
import { useAddressFilters } from '../parts/list/select-field.tsx';
import { serverOrder, type ServerOrder } from '../parts/list/table-order.ts';
import { sinceOf, typedLabel } from './filter-choices.ts';
import type { CountedFilters } from './receipt-days.tsx';

/** Filters and order of a list of receipts. */
export interface AskedReceipts {
  readonly filters: ReceiptFilters;
  readonly order: ServerOrder;
  /** Days before now. Empty for any time. */
  readonly days: string;
  /** Takes precedence over `days`. */
  readonly range: ChartRange | undefined;
  /** The same as the end of an address: empty, or from `?` on. */
  readonly search: string;
}

/** Filters as the server reads them. */
interface ReceiptFilters extends CountedFilters {
  readonly status: string | undefined;
  readonly q: string | undefined;
  readonly label: string | undefined;
  readonly min_cost_usd: string | undefined;
}

/** Parameters of a receipt's page, which are not of the list. */
const OWN_PARAMETERS = ['field'];

/** Reads the address of the list, or of a receipt that was opened from it. */
export function useAskedReceipts(): AskedReceipts {
  const { get } = useAddressFilters();
  const [parameters] = useSearchParams();
  const search = new URLSearchParams(parameters);
  for (const name of OWN_PARAMETERS) search.delete(name);
  const range = { since: get('since'), until: get('until') };
  return {
    filters: {
      status: get('status') || undefined,
      name: get('name') || undefined,
      model: get('model') || undefined,
      schema_hash: get('schema_hash') || undefined,
      q: get('q') || undefined,
      label: typedLabel(get('label')),
      min_cost_usd: get('cost') || undefined,
    },
    order: serverOrder(get('sort')),
    days: get('days'),
    range: isRange(range) ? range : undefined,
    search: search.size === 0 ? '' : `?${search.toString()}`,
  };
}

/** Returns the parameters of the route. */
export function parametersOf({
  filters,
  order,
  days,
  range,
}: AskedReceipts): Readonly<Record<string, string | undefined>> {
  return { ...(range ?? { since: sinceOf(days) }), ...filters, ...order };
}

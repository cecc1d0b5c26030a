/** Body of a page with a list that is read page by page: its filters, its rows, and its states without rows. */
import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { useAddressFilters, type Choice } from './select-field.tsx';
import { countText } from '../format.ts';
import { MoreButton, ProblemBox, Skeleton } from '../page.tsx';

interface ToolbarProps {
  /** The field for text, which is always shown. */
  readonly search: ReactNode;
  /** The other filters. */
  readonly children: ReactNode;
}

/** Filters that are shown elsewhere: in their own field, and as a view. */
const SHOWN: ReadonlySet<string> = new Set(['q', 'status']);

/** Renders the filters of a list. Where it is narrow, a button shows them, and they share the lines. */
export function Toolbar({ search, children }: ToolbarProps): ReactNode {
  const [parameters] = useSearchParams();
  const count = [...parameters.keys()].filter((name) => !SHOWN.has(name)).length;
  const [isOpen, setOpen] = useState(count > 0);
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap gap-2">
      <div className="flex w-full gap-2 @2xl:contents">
        {search}
        <button
          type="button"
          aria-expanded={isOpen}
          className="button shrink-0 @2xl:hidden"
          onClick={() => setOpen(!isOpen)}
        >
          {count === 0 ? 'Filters' : `Filters · ${count}`}
        </button>
      </div>
      <div className={`contents @max-2xl:*:grow ${isOpen ? '' : '@max-2xl:hidden'}`}>{children}</div>
    </div>
  );
}

interface ViewsProps {
  /** The states that are views, the first one with all rows. */
  readonly views: readonly Choice[];
  /** Number of rows of a view, by its value. @default none */
  readonly counts?: ReadonlyMap<string, number>;
}

/** Renders the views of a list as tabs. Each is a value of the filter for the state. */
export function Views({ views, counts }: ViewsProps): ReactNode {
  const { get, set } = useAddressFilters();
  const status = get('status');
  return (
    <div
      role="group"
      aria-label="Views"
      className="flex gap-1 overflow-x-auto px-3 shadow-[inset_0_-1px_0_var(--color-line)]"
    >
      {views.map(([value, name]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === status}
          className={`border-b-2 px-2 py-2 text-sm font-medium whitespace-nowrap @max-2xl:min-h-11 ${value === status ? 'border-accent text-ink' : 'border-transparent text-muted hover:text-ink'}`}
          onClick={() => set('status', value)}
        >
          {name}
          <Count value={counts?.get(value)} />
        </button>
      ))}
    </div>
  );
}

function Count({ value }: { readonly value: number | undefined }): ReactNode {
  if (value === undefined || value === 0) return null;
  return <span className="ml-1.5 rounded-full bg-hover px-1.5 text-2xs text-muted"> {countText(value)}</span>;
}

interface BodyProps {
  readonly list: {
    readonly isPending: boolean;
    readonly isSuccess: boolean;
    readonly error: Error | null;
    readonly refetch: () => Promise<unknown>;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  /** @default none: the page places its list */
  readonly filters?: ReactNode;
  /** True if the list has no rows. */
  readonly isEmpty: boolean;
  /** Explains why it has none. */
  readonly empty: ReactNode;
  /** Text of the button that reads older rows. */
  readonly more: string;
  /** The rows. */
  readonly children: ReactNode;
}

export function ListBody({ list, filters, isEmpty, empty, more, children }: BodyProps): ReactNode {
  const place = filters === undefined ? '' : 'px-4 @2xl:px-5';
  return (
    <>
      {filters !== undefined && <div className={`py-3.5 ${place}`}>{filters}</div>}
      <div className={place}>
        {list.isPending && <Skeleton rows={6} />}
        {list.error !== null && <ProblemBox error={list.error} onRetry={() => void list.refetch()} />}
        {list.isSuccess && isEmpty && empty}
      </div>
      {!isEmpty && children}
      <div className={`pb-6 ${place}`}>
        <MoreButton list={list}>{more}</MoreButton>
      </div>
    </>
  );
}

/** Bar below a list for its chosen rows: their number, and what can be done with them, such as their comparison. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon } from '../icon.tsx';

/** More columns would be too narrow to read. */
export const MAX_COMPARED = 6;

interface BarProps {
  /** Number of chosen rows. */
  readonly count: number;
  readonly onClear: () => void;
  /** The actions. */
  readonly children: ReactNode;
}

/** Renders the bar, or nothing without a chosen row. */
export function SelectionBar({ count, onClear, children }: BarProps): ReactNode {
  if (count === 0) return null;
  return (
    <section
      aria-label="Selection"
      className="sticky bottom-0 z-[6] mt-auto flex justify-center rounded-b-xl border-t border-line bg-well px-3 py-2 max-[639px]:bottom-[57px]"
    >
      <div
        role="toolbar"
        aria-label="With the chosen rows"
        className="flex max-w-full flex-wrap items-center justify-center gap-1.5 rounded-xl border border-edge bg-raised p-1.5 shadow-2"
      >
        <span role="status" className="px-2 text-sm font-medium">
          {count} selected
        </span>
        {children}
        <button
          type="button"
          className="button button-quiet px-2"
          aria-label="Clear the selection"
          onClick={onClear}
        >
          <Icon name="refused" />
        </button>
      </div>
    </section>
  );
}

interface CompareProps {
  /** Number of chosen rows. */
  readonly count: number;
  /** Address of their comparison. Undefined if it needs one more. */
  readonly href: string | undefined;
}

/** Renders the link, or the reason why the rows cannot be compared. */
export function CompareLink({ count, href }: CompareProps): ReactNode {
  if (href === undefined || count > MAX_COMPARED) {
    return (
      <span className="px-1 text-xs text-muted">
        {count === 1 ? 'Choose another one to compare.' : `At most ${MAX_COMPARED} can be compared.`}
      </span>
    );
  }
  return (
    <Link href={href} className="button button-primary">
      <Icon name="compare" />
      {count === 1 ? 'Compare with …' : 'Compare'}
    </Link>
  );
}

/** Name of the product with its sign. */
import type { ReactNode } from 'react';

export function BrandMark({ wordClass }: { readonly wordClass?: string }): ReactNode {
  return (
    <span className="inline-flex items-center gap-2.5 text-[15px] font-semibold tracking-[-0.02em] text-ink">
      <svg width="24" height="24" className="shrink-0" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path
          d="M8.5 16.5l5 5 10-11"
          fill="none"
          className="stroke-on-accent"
          strokeWidth="3.5"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <span className={wordClass}>Truecast</span>
    </span>
  );
}

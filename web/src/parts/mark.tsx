/** Name of the product with its sign. */
import type { ReactNode } from 'react';

export function BrandMark(): ReactNode {
  return (
    <span className="inline-flex items-center gap-2 text-lg font-semibold tracking-tight">
      <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" className="fill-accent" />
        <path
          d="M8.5 16.5l5 5 10-11"
          fill="none"
          className="stroke-on-accent"
          strokeWidth="3.5"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      truecast
    </span>
  );
}

/** Seal of a validated value: its time, its hash, and links to its program and its receipt. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { clockTime, exactTime } from '../parts/format.ts';

interface SealProps {
  readonly hash: string;
  /** When the request ended. */
  readonly at?: string | undefined;
  /** Address of the receipt's page. Undefined on that page. */
  readonly href?: string | undefined;
}

const HASH_CHARS = 12;

export function Seal({ hash, at, href }: SealProps): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line bg-well px-4 py-2.5">
      <p className="min-w-0 text-xs">
        <span className="block font-semibold text-ok" title={at === undefined ? undefined : exactTime(at)}>
          Sealed{at === undefined ? '' : ` ${clockTime(at)}`}
        </span>
        <code className="text-xs text-muted" title={`SHA-256 of the value: ${hash}`}>
          sha256 {hash.slice(0, HASH_CHARS)}
        </code>
      </p>
      {href !== undefined && (
        <span className="ml-auto flex items-center gap-2">
          <Link className="button" href={`${href}#code`} title="The program that gets this value">
            Code
          </Link>
          <Link className="button" href={href}>
            Receipt
          </Link>
        </span>
      )}
    </div>
  );
}

const POINTS = Array.from({ length: 32 }, (_none, index) => {
  const radius = index % 2 === 1 ? 13.2 : 15.4;
  const angle = (index / 32) * Math.PI * 2;
  return `${(16 + radius * Math.cos(angle)).toFixed(2)},${(16 + radius * Math.sin(angle)).toFixed(2)}`;
}).join(' ');

/** The sign of a sealed value. */
export function SealSign({ size = 34 }: { readonly size?: number }): ReactNode {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" className="shrink-0 animate-stamp">
      <polygon points={POINTS} className="fill-ok-fill" />
      <circle cx="16" cy="16" r="10.6" fill="none" className="stroke-on-accent" strokeOpacity="0.45" />
      <path
        d="M11 16.4l3.4 3.4 6.8-7.4"
        fill="none"
        className="stroke-on-accent"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

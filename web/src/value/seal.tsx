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
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-ok bg-ok-soft px-4 py-3">
      <svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true" className="shrink-0">
        <circle cx="14" cy="14" r="12.5" fill="none" className="stroke-ok" strokeWidth="1.5" />
        <circle cx="14" cy="14" r="9.5" className="fill-ok" />
        <path d="M9.8 14.2l3 3 5.6-6.2" fill="none" className="stroke-ok-soft" strokeWidth="2" />
      </svg>
      <p className="min-w-0 leading-tight">
        <span className="block font-semibold text-ok" title={at === undefined ? undefined : exactTime(at)}>
          Sealed{at === undefined ? '' : ` ${clockTime(at)}`}
        </span>
        <code className="text-sm text-muted" title={`SHA-256 of the value: ${hash}`}>
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

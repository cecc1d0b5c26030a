/** Table of a narrow screen: two columns, and a row opens the rest. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';

export interface NarrowRow {
  readonly key: string;
  readonly name: ReactNode;
  readonly figure: ReactNode;
  /** Names and values that the row opens. */
  readonly facts: readonly (readonly [string, ReactNode])[];
  readonly link?: { readonly href: string; readonly text: string };
}

interface RowsProps {
  readonly label: string;
  readonly rows: readonly NarrowRow[];
}

export function NarrowRows({ label, rows }: RowsProps): ReactNode {
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {rows.map(({ key, name, figure, facts, link }) => (
        <li key={key}>
          <details className="group">
            <summary className="flex min-h-11 items-center gap-3 px-4 py-2">
              <span aria-hidden="true" className="text-sm text-muted group-open:rotate-90">
                ▸
              </span>
              <span className="min-w-0 flex-1 font-medium break-words">{name}</span>
              <span className="whitespace-nowrap">{figure}</span>
            </summary>
            <dl className="bg-well py-2 pr-4 pl-10 text-sm">
              {facts.map(([fact, value]) => (
                <div key={fact} className="flex justify-between gap-4 py-1">
                  <dt className="min-w-0 break-words text-muted">{fact}</dt>
                  <dd className="text-right">{value}</dd>
                </div>
              ))}
            </dl>
            {link !== undefined && (
              <Link
                href={link.href}
                className="flex min-h-11 items-center bg-well pr-4 pl-10 text-accent-ink underline"
              >
                {link.text}
              </Link>
            )}
          </details>
        </li>
      ))}
    </ul>
  );
}

/** Facts as a list of names and values. */
import type { ReactNode } from 'react';

/** A name with its value. Without a value, the fact is left out. */
export type Fact = readonly [name: string, value: ReactNode];

/** Renders the facts that have a value. */
export function FactsList({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl className="panel divide-y divide-line">
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name} className="grid grid-cols-[120px_minmax(0,1fr)] gap-x-4 px-4 py-2">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

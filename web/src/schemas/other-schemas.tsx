/** Schemas with the same name and another text, the last used first. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { schemaPageView, type SchemaUseView } from '@truecast/client/internal/wire/request';
import { plural } from '../parts/format.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { useSession } from '../session/session.tsx';

interface OthersProps {
  readonly schema: SchemaUseView;
}

/** Renders the list, or nothing if the name has one schema. */
export function OtherSchemas({ schema: { hash, name } }: OthersProps): ReactNode {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: ['schemas', 'all'],
    queryFn: ({ signal }) =>
      call({ method: 'GET', path: '/api/schemas?limit=200', shape: schemaPageView, signal }),
  });
  const others = (data?.schemas ?? []).filter((each) => each.name === name && each.hash !== hash);
  if (name === undefined || others.length === 0) return null;
  return (
    <section aria-label="Other schemas">
      <h2 className="mb-2 font-semibold">Other schemas with the name {name}</h2>
      <ul className="panel divide-y divide-line overflow-hidden">
        {others.map((each) => (
          <li key={each.hash}>
            <Link
              href={`/schemas/${each.hash}`}
              className="flex min-h-11 flex-wrap items-center gap-x-4 px-4 py-2 hover:bg-sunken"
            >
              <code className="text-accent underline">{each.hash.slice(0, 12)}</code>
              <span className="text-sm text-muted">
                {plural(each.requests, 'request')}, {each.succeeded} valid
              </span>
              <span className="ml-auto text-sm text-muted">
                used <RelativeTime at={each.last_used_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Choice among the schemas of the latest questions. */
import type { ReactNode } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { schemaDetailView, schemaPageView, type SchemaUseView } from '@truecast/client/internal/wire/request';
import { ProblemBox } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
import { indentJson } from '../json/indent-json.ts';

const SHOWN = 20;
const HASH_CHARS = 8;

interface RecentProps {
  readonly onChoose: (schema: { readonly name: string; readonly schemaText: string }) => void;
}

/** Renders the choice, or nothing before the first question. */
export function RecentSchemas({ onChoose }: RecentProps): ReactNode {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: ['schemas', 'recent'],
    queryFn: ({ signal }) =>
      call({ method: 'GET', path: `/api/schemas?limit=${SHOWN}`, shape: schemaPageView, signal }),
  });
  const read = useMutation({
    mutationFn: (hash: string) =>
      call({ method: 'GET', path: `/api/schemas/${hash}`, shape: schemaDetailView }),
    onSuccess: ({ name = 'answer', schema_text }) => onChoose({ name, schemaText: indentJson(schema_text) }),
  });
  const schemas = data?.schemas ?? [];
  if (schemas.length === 0) return null;
  return (
    <>
      <select
        className="field w-auto min-w-0 flex-1 @max-2xl:basis-full @2xl:max-w-56"
        aria-label="Recent schemas"
        value=""
        onChange={({ target }) => read.mutate(target.value)}
      >
        <option value="">Recent schemas</option>
        {schemas.map((schema) => (
          <option key={schema.hash} value={schema.hash}>
            {labelOf(schema, schemas)}
          </option>
        ))}
      </select>
      {read.error !== null && <ProblemBox error={read.error} />}
    </>
  );
}

/** Returns the name of a schema, with its hash if other schemas share the name. */
function labelOf({ name = 'answer', hash }: SchemaUseView, schemas: readonly SchemaUseView[]): string {
  const isShared = schemas.filter((each) => (each.name ?? 'answer') === name).length > 1;
  return isShared ? `${name} · ${hash.slice(0, HASH_CHARS)}` : name;
}

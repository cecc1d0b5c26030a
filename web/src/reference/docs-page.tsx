/** API reference: every operation of this server, from its OpenAPI document. Needs no token. */
import { useEffect, useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { EmptyBox, Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { readDocument, type ApiDocument, type Operation } from './openapi.ts';
import { OperationSection } from './operation-section.tsx';

export function DocsPage(): ReactNode {
  const read = useQuery({ queryKey: ['openapi'], queryFn: ({ signal }) => readDocument(signal) });
  return (
    <Page
      isWide
      title="API reference"
      actions={
        <a className="button @max-2xl:hidden" href="/docs/llms.txt">
          llms.txt
        </a>
      }
    >
      {read.isPending && <Skeleton />}
      {read.error !== null && <ProblemBox error={read.error} onRetry={() => void read.refetch()} />}
      {read.data !== undefined && <Reference document={read.data} />}
    </Page>
  );
}

function Reference({ document: api }: { readonly document: ApiDocument }): ReactNode {
  const [filter, setFilter] = useState('');
  // The browser has looked for the anchor before the sections existed.
  useEffect(() => {
    if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
  const shown = api.operations.filter((operation) => matches(operation, filter));
  return (
    <div className="gap-8 @4xl:grid @4xl:grid-cols-[200px_minmax(0,1fr)]">
      <div className="mb-6 @4xl:sticky @4xl:top-19 @4xl:mb-0 @4xl:max-h-[calc(100dvh-92px)] @4xl:self-start @4xl:overflow-auto">
        <input
          type="search"
          data-filter=""
          className="field"
          aria-label="Search operations"
          placeholder="Search"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
        <Contents operations={shown} />
      </div>
      <div className="min-w-0 space-y-12">
        <p className="max-w-[68ch] text-muted">
          {api.description} Send <code>authorization: Bearer TOKEN</code> with every request. The same as{' '}
          <a className="text-accent-ink underline" href="/openapi.json">
            openapi.json
          </a>
          .
        </p>
        {shown.length === 0 && <EmptyBox>No operation contains “{filter}”.</EmptyBox>}
        {shown.map((operation) => (
          <OperationSection key={operation.id} operation={operation} root={api.root} />
        ))}
      </div>
    </div>
  );
}

function matches({ id, tag, path, method, summary, description }: Operation, filter: string): boolean {
  const text = `${id} ${tag} ${method} ${path} ${summary} ${description}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

function Contents({ operations }: { readonly operations: readonly Operation[] }): ReactNode {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return (
    <nav aria-label="Operations" className="mt-4 hidden @4xl:block">
      {tags.map((tag) => (
        <div key={tag} className="mb-4">
          <h2 className="caption mb-1">{tag}</h2>
          <ul>
            {operations
              .filter((operation) => operation.tag === tag)
              .map(({ id }) => (
                <li key={id}>
                  <a className="block truncate rounded-sm py-0.5 hover:text-accent-ink" href={`#${id}`}>
                    {id}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

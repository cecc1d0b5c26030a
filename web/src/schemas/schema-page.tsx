/**
 * Page of one schema: its use, the rate of valid answers, the fields that fail, its versions and its
 * receipts.
 */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { qualityView } from '@truecast/client/internal/wire/quality';
import { requestPageView, type SchemaDetailView } from '@truecast/client/internal/wire/request';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { keepDraft, readDraft } from '../ask/ask-draft.ts';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { FactsList } from '../parts/facts-list.tsx';
import { countText } from '../parts/format.ts';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { FailingFields } from '../quality/failing-fields.tsx';
import { QualityTotals } from '../quality/quality-totals.tsx';
import { RateChart } from '../quality/rate-chart.tsx';
import { ReceiptRows } from '../receipts/receipt-rows.tsx';
import { useSession } from '../session/session.tsx';
import { indentJson } from '../json/indent-json.ts';
import { TextPanel } from '../parts/code/text-panel.tsx';
import { SchemaVersions } from './schema-versions.tsx';
import { useSchema } from './use-schema.ts';

const DAYS = 90;
const DAY_MS = 86_400_000;
const SHOWN_RECEIPTS = 10;

export function SchemaDetailPage({ hash }: { readonly hash: string }): ReactNode {
  const { data, error, isPending, refetch } = useSchema(hash);
  return (
    <Page
      isWide
      crumb={QUALITY}
      title={data === undefined ? 'Schema' : `Schema ${data.name ?? ''}`}
      facts={data !== undefined && <code className="text-sm text-muted">{hash.slice(0, 12)}</code>}
      actions={data !== undefined && <AskWith schema={data} />}
    >
      {isPending && <Skeleton rows={5} />}
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <History schema={data} />}
    </Page>
  );
}

const QUALITY = { href: '/quality?by=name', name: 'Quality' };

function AskWith({ schema: { name = 'answer', schema_text } }: SchemaProps): ReactNode {
  const [, navigate] = useLocation();
  const ask = (): void => {
    keepDraft({ ...readDraft(), name, schemaText: indentJson(schema_text), plan: '' });
    navigate('/ask');
  };
  return (
    <button className="button" onClick={ask}>
      Ask with it
    </button>
  );
}

interface SchemaProps {
  readonly schema: SchemaDetailView;
}

function History({ schema }: SchemaProps): ReactNode {
  const text = indentJson(schema.schema_text);
  return (
    <div className="space-y-8">
      <Compliance hash={schema.hash} />
      <SchemaVersions schema={schema} days={DAYS} />
      <Receipts hash={schema.hash} />
      <section aria-label="Schema">
        <div className="mb-1 flex items-center justify-between">
          <h2 className="font-semibold">Schema</h2>
          <CopyButton text={text} />
        </div>
        <TextPanel text={text} label="Text of the schema" />
      </section>
      <section aria-label="Facts">
        <h2 className="mb-2 font-semibold">Facts</h2>
        <FactsList
          facts={[
            ['Hash', <code className="break-all">{schema.hash}</code>],
            ['Requests', countText(schema.requests)],
            ['Valid', countText(schema.succeeded)],
            ['Failed', countText(schema.failed)],
            ['Canceled', countText(schema.canceled)],
            ['First used', <RelativeTime at={schema.first_used_at} />],
            ['Last used', <RelativeTime at={schema.last_used_at} />],
          ]}
        />
      </section>
    </div>
  );
}

/** Quality of the answers of the last 90 days. */
function Compliance({ hash }: { readonly hash: string }): ReactNode {
  const { call } = useSession();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['quality', 'schema', hash],
    queryFn: ({ signal }) => {
      const since = new Date(Date.now() - DAYS * DAY_MS).toISOString();
      const path = `/api/quality${toQuery({ since, by: 'model', schema_hash: hash })}`;
      return call({ method: 'GET', path, shape: qualityView, signal });
    },
  });
  if (isPending) return <Skeleton />;
  if (error !== null) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (data.totals.answers === 0) return <p className="text-muted">No answers in the last {DAYS} days.</p>;
  return (
    <>
      <div className="space-y-3">
        <QualityTotals report={data} />
        <RateChart report={data} />
      </div>
      <FailingFields fields={data.fields} />
    </>
  );
}

function Receipts({ hash }: { readonly hash: string }): ReactNode {
  const { call } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['requests', 'schema', hash],
    queryFn: ({ signal }) => {
      const query = toQuery({ limit: SHOWN_RECEIPTS, preview: 'true', schema_hash: hash });
      return call({ method: 'GET', path: `/api/requests${query}`, shape: requestPageView, signal });
    },
  });
  if (error !== null) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data.requests.length === 0) return null;
  return (
    <section aria-label="Latest receipts">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 className="font-semibold">Latest receipts</h2>
        <Link href={`/requests?schema_hash=${hash}`} className="text-accent-ink underline">
          All receipts
        </Link>
      </div>
      <ReceiptRows isPanel requests={data.requests} search={`?schema_hash=${hash}`} />
    </section>
  );
}

/**
 * Versions of a schema: the schemas that requests with its name used, with their first-try rates, and what
 * changed since the version before.
 */
import { useMemo, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { qualityView, type QualityRow } from '@truecast/client/internal/wire/quality';
import type { SchemaDetailView, SchemaUseView } from '@truecast/client/internal/wire/request';
import { AddedRemoved } from '../changes/file-diff.tsx';
import { DiffHunks } from '../changes/diff-hunks.tsx';
import { diffOfTexts } from '../changes/diff-of-texts.ts';
import { indentJson } from '../json/indent-json.ts';
import { Card } from '../parts/card.tsx';
import { plural } from '../parts/format.ts';
import { ProblemBox, Skeleton } from '../parts/page.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { RateShare } from '../quality/rate-share.tsx';
import { LISTED_SCHEMAS, useSchemas } from '../receipts/filter-choices.ts';
import { useSession } from '../session/session.tsx';
import { useSchema } from './use-schema.ts';

const DAY_MS = 86_400_000;
const SHOWN_DIGITS = 12;

interface VersionsProps {
  readonly schema: SchemaDetailView;
  /** Days of the rates. */
  readonly days: number;
}

/** Renders both, or nothing if the name has one schema. */
export function SchemaVersions({ schema, days }: VersionsProps): ReactNode {
  const listed = useSchemas();
  const versions = versionsOf(schema, listed);
  const rates = useRates(schema.name, days, versions.length > 1);
  if (versions.length < 2) return null;
  const before = versions[versions.findIndex(({ hash }) => hash === schema.hash) + 1];
  const isCut = listed.length >= LISTED_SCHEMAS;
  return (
    <>
      <Card
        title="Versions"
        about={`of ${schema.name ?? ''}, the newest first${isCut ? `, among the ${LISTED_SCHEMAS} schemas used last` : ''}. First try in the last ${days} days`}
      >
        <ol aria-label="Versions" className="divide-y divide-line">
          {versions.map((version) => (
            <li key={version.hash}>
              <Version
                version={version}
                rate={rates.get(version.hash)}
                isShown={version.hash === schema.hash}
              />
            </li>
          ))}
        </ol>
      </Card>
      {before !== undefined && <Changes schema={schema} before={before.hash} />}
    </>
  );
}

/** Returns the schemas with the name of one, itself included, the last first used one first. */
function versionsOf(schema: SchemaUseView, listed: readonly SchemaUseView[]): readonly SchemaUseView[] {
  if (schema.name === undefined) return [schema];
  const others = listed.filter(({ name, hash }) => name === schema.name && hash !== schema.hash);
  return [schema, ...others].toSorted(
    (one, other) =>
      Date.parse(other.first_used_at) - Date.parse(one.first_used_at) || (one.hash < other.hash ? -1 : 1),
  );
}

/** Reads the counts of all versions at once, by their hash. */
function useRates(
  name: string | undefined,
  days: number,
  isEnabled: boolean,
): ReadonlyMap<string, QualityRow> {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: ['quality', 'versions', name],
    enabled: isEnabled,
    queryFn: ({ signal }) => {
      const since = new Date(Date.now() - days * DAY_MS).toISOString();
      const path = `/api/quality${toQuery({ since, by: 'schema_hash', name })}`;
      return call({ method: 'GET', path, shape: qualityView, signal });
    },
  });
  return new Map(data?.rows.map((row) => [row.key ?? '', row]));
}

interface VersionProps {
  readonly version: SchemaUseView;
  readonly rate: QualityRow | undefined;
  /** True for the schema of the page. */
  readonly isShown: boolean;
}

const ROW = 'flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-sm';

function Version({ version, rate, isShown }: VersionProps): ReactNode {
  const { hash, requests, first_used_at: first } = version;
  const digits = hash.slice(0, SHOWN_DIGITS);
  const facts = (
    <>
      {isShown && <span className="text-accent-ink">this version</span>}
      <span className="text-muted">
        first used <RelativeTime at={first} />, {plural(requests, 'request')}
      </span>
      {rate !== undefined && rate.answers > 0 && (
        <span className="w-full max-w-72 @2xl:ml-auto">
          <span className="sr-only">First try: </span>
          <RateShare part={rate.first_try} whole={rate.answers} />
        </span>
      )}
    </>
  );
  if (isShown) {
    return (
      <div aria-current="true" className={`${ROW} bg-accent-soft`}>
        <code>{digits}</code>
        {facts}
      </div>
    );
  }
  return (
    <Link href={`/schemas/${hash}`} className={`${ROW} hover:bg-hover`}>
      <code className="text-accent-ink underline">{digits}</code>
      {facts}
    </Link>
  );
}

interface ChangesProps {
  readonly schema: SchemaDetailView;
  /** Hash of the version before. */
  readonly before: string;
}

function Changes({ schema, before }: ChangesProps): ReactNode {
  const { data, error, refetch } = useSchema(before);
  const old = data?.schema_text;
  const diff = useMemo(
    () => (old === undefined ? undefined : diffOfTexts(indentJson(old), indentJson(schema.schema_text))),
    [old, schema.schema_text],
  );
  if (error !== null) return <ProblemBox error={error} onRetry={() => void refetch()} />;
  if (diff === undefined) return <Skeleton />;
  return (
    <Card
      title="Changes"
      about={
        <>
          since the version before,{' '}
          <Link href={`/schemas/${before}`} className="text-accent-ink underline">
            <code>{before.slice(0, SHOWN_DIGITS)}</code>
          </Link>
        </>
      }
      aside={<AddedRemoved added={diff.added} removed={diff.removed} />}
    >
      <DiffHunks hunks={diff.hunks} label="Changed lines of the schema" isCode />
    </Card>
  );
}

/** Compatibility of a schema with each provider's schema mode. */
import type { ReactNode } from 'react';
import type { DialectName } from '@truecast/client/internal/wire/response-format';
import { CodeText } from '../parts/code/text-panel.tsx';
import type { DialectReport } from '@truecast/server/internal/format/dry-run';

interface ReportProps {
  readonly dialects: readonly DialectReport[];
  /** The schema mode of the chosen model. It is listed first, with its details. */
  readonly selected?: DialectName | undefined;
  /** @default 'selected model' */
  readonly selectedWord?: string;
}

/** Renders one row per provider. */
export function ProviderReport({
  dialects,
  selected,
  selectedWord = 'selected model',
}: ReportProps): ReactNode {
  if (dialects.length === 0) return null;
  const sorted = [...dialects].sort(
    (left, right) => Number(right.dialect === selected) - Number(left.dialect === selected),
  );
  return (
    <section aria-label="Provider compatibility">
      <h2 className="mb-2 font-semibold">Provider compatibility</h2>
      <ul className="panel divide-y divide-line overflow-hidden">
        {sorted.map((report) => (
          <li
            key={`${report.dialect} ${report.dialect === selected}`}
            className={`px-3 py-1.5 ${report.dialect === selected ? 'bg-accent-soft' : ''}`}
          >
            <Dialect report={report} selectedWord={report.dialect === selected ? selectedWord : undefined} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface DialectProps {
  readonly report: DialectReport;
  /** Present for the chosen model. */
  readonly selectedWord: string | undefined;
}

function Dialect({ report, selectedWord }: DialectProps): ReactNode {
  const { dialect, losses, changes } = report;
  const isOpenable = losses.length + changes.length > 0;
  const head = (
    <span className="flex items-baseline">
      <span
        aria-hidden="true"
        className={`w-5 shrink-0 text-muted group-open:rotate-90 ${isOpenable ? '' : 'invisible'}`}
      >
        ▸
      </span>
      <span className="w-24 shrink-0 font-medium">{nameDialect(dialect)}</span>
      <span className={losses.length > 0 ? 'text-warn' : 'text-muted'}>
        {selectedWord !== undefined && <span className="font-medium text-accent-ink">{selectedWord} · </span>}
        {summaryOf(report)}
      </span>
    </span>
  );
  if (!isOpenable) return head;
  return (
    <details open={selectedWord !== undefined} className="group">
      <summary className="block">{head}</summary>
      <ul className="mt-1 mb-1 ml-5 space-y-1 text-sm">
        {losses.map(({ pointer, keyword, reason }) => (
          <li key={`${pointer} ${keyword}`}>
            <code className="text-sm break-all">{pointer}</code>{' '}
            <span className="text-muted">
              <CodeText text={reason} />
            </span>
          </li>
        ))}
        {changes.map(({ pointer, keyword, form }) => (
          <li key={`${pointer} ${keyword} ${form}`}>
            <code className="text-sm break-all">{pointer === '' ? 'the root' : pointer}</code>{' '}
            <span className="text-muted">→ {form}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Rules that a provider does not enforce are checked by this server. */
function summaryOf({ is_taken, losses, changes }: DialectReport): string {
  if (!is_taken) return 'not accepted: the answer is requested as a tool call, and checked here';
  const rules = losses.length === 1 ? '1 rule' : `${losses.length} rules`;
  const parts = [
    ...(losses.length > 0 ? [`${rules} it does not enforce, checked here`] : []),
    ...(changes.length > 0 ? [`${changes.length} rewritten`] : []),
  ];
  return parts.length === 0 ? 'unchanged' : parts.join(' · ');
}

/** Names a schema mode by its providers. `grammar` is for servers of unknown make. */
export function nameDialect(dialect: DialectName): string {
  return dialect === 'grammar' ? 'other servers' : dialect.replaceAll('_', ' ');
}

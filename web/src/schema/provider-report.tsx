/** Compatibility of a schema with each provider's schema mode. */
import type { ReactNode } from 'react';
import type { DialectReport } from '@truecast/server/internal/format/dry-run';

/** Renders one row per provider. */
export function ProviderReport({ dialects }: { readonly dialects: readonly DialectReport[] }): ReactNode {
  if (dialects.length === 0) return null;
  return (
    <section aria-label="Provider compatibility" className="mt-4">
      <h2 className="caption mb-1">Provider compatibility</h2>
      <ul className="divide-y divide-line rounded-sm border border-line">
        {dialects.map((report) => (
          <li key={report.dialect} className="px-3 py-1.5">
            <Dialect report={report} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Dialect({ report }: { readonly report: DialectReport }): ReactNode {
  const { dialect, losses, changes } = report;
  const head = (
    <>
      <span className="inline-block min-w-28 font-medium">{dialect.replaceAll('_', ' ')}</span>{' '}
      <span className={losses.length > 0 ? 'text-warn' : 'text-muted'}>{summaryOf(report)}</span>
    </>
  );
  if (losses.length + changes.length === 0) return head;
  return (
    <details>
      <summary>{head}</summary>
      <ul className="mt-1 mb-1 ml-4 space-y-0.5 text-sm">
        {losses.map(({ pointer, keyword, reason }) => (
          <li key={`${pointer} ${keyword}`}>
            <code className="text-sm break-all">{pointer}</code> <span className="text-muted">{reason}</span>
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

/** Totals of the quality report. */
import type { ReactNode } from 'react';
import type { QualityFigures } from '@truecast/client/internal/wire/quality';
import { countText, money } from '../parts/format.ts';
import { deviationsText, partText, shareText } from './figures.ts';

/** Renders the figures of all answers. */
export function QualityTotals({ totals }: { readonly totals: QualityFigures }): ReactNode {
  const { answers, first_try, valid, attempts, unanswered, cost_usd } = totals;
  const figures: readonly (readonly [string, string, string])[] = [
    ['Answers', countText(answers), unanswered === 0 ? '' : `${countText(unanswered)} without an attempt`],
    ['First try', shareText(first_try, answers), partText(first_try, answers)],
    ['In the end', shareText(valid, answers), partText(valid, answers)],
    ['Attempts', answers === 0 ? '–' : (attempts / answers).toFixed(2), 'per answer'],
    ['Cost', cost_usd === undefined || answers === 0 ? '–' : money(cost_usd / answers), costNote(cost_usd)],
  ];
  return (
    <>
      <dl className="panel grid grid-cols-2 @2xl:grid-cols-5">
        {figures.map(([name, value, note], index) => (
          <div
            key={name}
            className={`border-line px-4 py-3 @2xl:border-t-0 @2xl:border-l last:col-span-2 @2xl:first:border-l-0 @2xl:last:col-span-1 ${index > 1 ? 'border-t' : ''} ${index % 2 === 1 ? 'border-l' : ''}`}
          >
            <dt className="caption">{name}</dt>
            <dd className="text-xl font-semibold tracking-[-0.02em] whitespace-nowrap">{value}</dd>
            <dd className="min-h-4 text-xs text-muted">{note}</dd>
          </div>
        ))}
      </dl>
      {totals.deviations !== undefined && (
        <p className="text-sm text-muted">Ensembles: {deviationsText(totals.deviations)}</p>
      )}
    </>
  );
}

function costNote(dollars: number | undefined): string {
  return dollars === undefined ? 'per answer' : `per answer, ${money(dollars)} in all`;
}

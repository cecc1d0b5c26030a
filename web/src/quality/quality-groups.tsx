/** Table of groups of answers. A row of a model or a schema opens its receipts. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { QualityRow } from '@truecast/client/internal/wire/quality';
import { Card } from '../parts/card.tsx';
import { countText, duration, money } from '../parts/format.ts';
import { ModelName } from '../parts/model-name.tsx';
import { NarrowRows, type NarrowRow } from '../parts/list/narrow-rows.tsx';
import { SelectField, type Choice } from '../parts/list/select-field.tsx';
import { useIsNarrow } from '../parts/use-is-narrow.ts';
import { Few, RateShare } from './rate-share.tsx';
import { deviationsText, FEW, partText, percent, shareText } from './figures.ts';

/** Groups that the page offers. */
export const GROUPS: readonly Choice[] = [
  ['model', 'By model'],
  ['name', 'By schema'],
  ['mode', 'By mode'],
  ['agent', 'By agent'],
  ['source', 'By source'],
];

const HEADINGS: Readonly<Record<string, string>> = {
  name: 'Schema',
  mode: 'Mode',
  agent: 'Agent',
  source: 'Source',
};
/** Groups that the list of receipts can be filtered by. */
const LINKED: ReadonlySet<string> = new Set(['model', 'name']);

interface GroupsProps {
  readonly by: string;
  readonly rows: readonly QualityRow[];
  /** True if answers of chats are counted. */
  readonly hasReceipts: boolean;
}

export function QualityGroups({ by, rows: reported, hasReceipts }: GroupsProps): ReactNode {
  // A group without a name is listed only if it has answers.
  const rows = reported.filter(({ key, answers }) => key !== undefined || answers > 0);
  const isNarrow = useIsNarrow();
  return (
    <Card
      title="Answers"
      label="Groups"
      about="first try with its 95 % interval"
      aside={<SelectField label="Group" name="by" choices={GROUPS} />}
    >
      {isNarrow ? (
        <NarrowRows
          label="Groups of answers"
          rows={rows.map((row) => narrowRow(row, hasReceipts && LINKED.has(by) ? by : ''))}
        />
      ) : (
        <GroupTable by={by} rows={rows} isLinked={hasReceipts && LINKED.has(by)} />
      )}
    </Card>
  );
}

interface GroupTableProps {
  readonly by: string;
  readonly rows: readonly QualityRow[];
  readonly isLinked: boolean;
}

/** Where the table is narrow, columns leave that the row of a group has elsewhere. */
const MIDDLE = '@max-3xl:hidden';
const WIDE = '@max-5xl:hidden';

function GroupTable({ by, rows, isLinked }: GroupTableProps): ReactNode {
  const hasDeviations = rows.some(({ deviations }) => deviations !== undefined);
  const hasTimes = rows.some(({ p50_ms }) => p50_ms !== undefined);
  return (
    <div className="@container overflow-x-auto" tabIndex={0} role="group" aria-label="Table of groups">
      <table className="w-full text-left text-sm">
        <thead className="text-xs text-muted">
          <tr className="whitespace-nowrap *:px-3 *:py-2 *:font-medium @max-3xl:*:px-2 *:first:pl-4 *:last:pr-4">
            <th>{HEADINGS[by] ?? 'Model'}</th>
            <th className="text-right">Answers</th>
            <th className="w-[30%]">First try</th>
            <th className="text-right">In the end</th>
            <th className={`text-right ${MIDDLE}`}>Attempts</th>
            {hasTimes && <th className="text-right">Time</th>}
            {hasTimes && <th className={`text-right ${MIDDLE}`}>95 %</th>}
            <th className="text-right">Cost each</th>
            {hasDeviations && <th className={WIDE}>Ensembles</th>}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {rows.map((row) => (
            <Row
              key={row.key ?? ''}
              by={by}
              row={row}
              isLinked={isLinked}
              hasDeviations={hasDeviations}
              hasTimes={hasTimes}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** First try beside the name. The row opens the rest. */
function narrowRow(row: QualityRow, linkedBy: string): NarrowRow {
  const { key, answers, first_try, valid, attempts, cost_usd } = row;
  const link =
    linkedBy === '' || key === undefined ? undefined : `/requests?${linkedBy}=${encodeURIComponent(key)}`;
  return {
    key: key ?? '',
    name: key ?? 'Not recorded',
    figure: answers < FEW ? <Few part={first_try} whole={answers} /> : percent(first_try, answers),
    facts: [
      ['Answers', countText(answers)],
      ['First try', partText(first_try, answers)],
      ['In the end', shareText(valid, answers)],
      ['Attempts per answer', answers === 0 ? '–' : (attempts / answers).toFixed(2)],
      ...(row.p50_ms === undefined ? [] : [['Time, median', duration(row.p50_ms)] as const]),
      ...(row.p95_ms === undefined ? [] : [['Time of 95 %', duration(row.p95_ms)] as const]),
      ['Cost each', cost_usd === undefined || answers === 0 ? '–' : money(cost_usd / answers)],
      ...(row.deviations === undefined ? [] : [['Ensembles', deviationsText(row.deviations)] as const]),
    ],
    ...(link !== undefined && { link: { href: link, text: 'Open its receipts' } }),
  };
}

interface RowProps {
  readonly by: string;
  readonly row: QualityRow;
  readonly isLinked: boolean;
  readonly hasDeviations: boolean;
  readonly hasTimes: boolean;
}

function Row({ by, row, isLinked, hasDeviations, hasTimes }: RowProps): ReactNode {
  const { key, answers, first_try, valid, attempts, cost_usd } = row;
  return (
    <tr className="*:px-3 *:py-2.5 @max-3xl:*:px-2 *:first:pl-4 *:last:pr-4">
      <th className="max-w-[30ch] truncate font-medium @max-3xl:max-w-[19ch]" scope="row">
        {isLinked && key !== undefined ? (
          <Link href={`/requests?${by}=${encodeURIComponent(key)}`} className="text-accent-ink underline">
            {by === 'model' ? <ModelName id={key} /> : key}
          </Link>
        ) : (
          (key ?? 'Not recorded')
        )}
      </th>
      <td className="text-right">{countText(answers)}</td>
      <td className="whitespace-nowrap" title={partText(first_try, answers)}>
        <RateShare part={first_try} whole={answers} />
      </td>
      <td className="text-right whitespace-nowrap" title={partText(valid, answers)}>
        {shareText(valid, answers)}
      </td>
      <td className={`text-right ${MIDDLE}`}>{answers === 0 ? '–' : (attempts / answers).toFixed(2)}</td>
      {hasTimes && <Time ms={row.p50_ms} title="Median time of an answer" />}
      {hasTimes && <Time ms={row.p95_ms} look={MIDDLE} title="Time of the slowest answers but 5 %" />}
      <td className="text-right">
        {cost_usd === undefined || answers === 0 ? '–' : money(cost_usd / answers)}
      </td>
      {hasDeviations && (
        <td className={`whitespace-nowrap text-muted ${WIDE}`}>
          {row.deviations === undefined ? '–' : deviationsText(row.deviations)}
        </td>
      )}
    </tr>
  );
}

interface TimeProps {
  readonly ms: number | undefined;
  readonly title: string;
  readonly look?: string;
}

function Time({ ms, title, look = '' }: TimeProps): ReactNode {
  return (
    <td className={`text-right whitespace-nowrap ${look}`} title={title}>
      {ms === undefined ? '–' : duration(ms)}
    </td>
  );
}

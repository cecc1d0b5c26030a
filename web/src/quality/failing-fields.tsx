/** Table of the fields that failed most often: one row per field, one column per model. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { QualityField } from '@truecast/client/internal/wire/quality';
import { Card } from '../parts/card.tsx';
import { CodeText } from '../parts/code/text-panel.tsx';
import { NarrowRows, type NarrowRow } from '../parts/list/narrow-rows.tsx';
import { useIsNarrow } from '../parts/use-is-narrow.ts';
import { fieldMatrix, type FieldCell, type FieldRow } from './field-matrix.ts';
import { FEW, partText, percent } from './figures.ts';

const MAX_ROWS = 20;
const MAX_MODELS = 4;

export function FailingFields({ fields }: { readonly fields: readonly QualityField[] }): ReactNode {
  const isNarrow = useIsNarrow();
  const matrix = fieldMatrix(fields);
  const models = matrix.models.slice(0, MAX_MODELS);
  return (
    <Card
      title="Fields that fail"
      label="Failing fields"
      about="share of attempts with a mistake there. A cell opens its receipts."
    >
      {matrix.rows.length === 0 && (
        <p className="px-4 py-3 text-muted">No field failed: each attempt fitted its schema.</p>
      )}
      {matrix.rows.length > 0 && isNarrow && (
        <NarrowRows label="Failing fields" rows={matrix.rows.slice(0, MAX_ROWS).map(narrowRow)} />
      )}
      {matrix.rows.length > 0 && !isNarrow && (
        <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Table of fields">
          <table className="w-full text-left text-sm">
            <thead className="text-xs text-muted">
              <tr className="*:px-3 *:py-2 *:align-bottom *:font-medium *:first:pl-4">
                <th>Field, and most common issue</th>
                {models.map((model) => (
                  <th key={model} className="max-w-[14ch] truncate text-right" title={model}>
                    {model.slice(model.indexOf(':') + 1)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-line border-t border-line">
              {matrix.rows.slice(0, MAX_ROWS).map((row) => (
                <Row key={row.key} row={row} models={models} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

/** The share of all attempts beside the field. The row opens the rule and the models. */
function narrowRow({ key, title, schemaHash, path, rule, failed, byModel }: FieldRow): NarrowRow {
  const cells = [...byModel.values()];
  const attempts = cells.reduce((sum, cell) => sum + cell.attempts, 0);
  const broken = Math.min(failed, attempts);
  return {
    key,
    name: (
      <>
        {title} <code className="break-all">{path === '' ? 'the whole value' : path}</code>
      </>
    ),
    figure: attempts < FEW ? `few, ${partText(broken, attempts)}` : percent(broken, attempts),
    facts: [
      ['Most common issue', <CodeText key="rule" text={rule} />],
      ...[...byModel].map(
        ([model, cell]) => [model, `${partText(cell.failed, cell.attempts)} attempts`] as const,
      ),
    ],
    link: { href: `/requests?schema_hash=${schemaHash}`, text: 'Open its receipts' },
  };
}

interface RowProps {
  readonly row: FieldRow;
  readonly models: readonly string[];
}

function Row({ row: { title, schemaHash, path, rule, byModel }, models }: RowProps): ReactNode {
  return (
    <tr className="*:px-3 *:py-2 *:first:pl-4">
      <th scope="row" className="min-w-[20ch] font-normal">
        <Link href={`/requests?schema_hash=${schemaHash}`} className="font-medium text-accent-ink underline">
          {title}
        </Link>{' '}
        <code className="break-words">{path === '' ? 'the whole value' : path}</code>
        <span className="block text-xs text-muted">
          <CodeText text={rule} />
        </span>
      </th>
      {models.map((model) => (
        <Cell key={model} cell={byModel.get(model)} href={receiptsOf(schemaHash, model)} />
      ))}
    </tr>
  );
}

/** The receipts of a schema and a model. */
function receiptsOf(schemaHash: string, model: string): string {
  return `/requests?schema_hash=${schemaHash}&model=${encodeURIComponent(model)}`;
}

interface CellProps {
  readonly cell: FieldCell | undefined;
  readonly href: string;
}

/** The redder, the more attempts failed. The cell opens its receipts. */
function Cell({ cell, href }: CellProps): ReactNode {
  if (cell === undefined) return <td className="text-right text-muted">–</td>;
  const { failed, attempts } = cell;
  const counts = partText(failed, attempts);
  const heat = Math.min(MAX_HEAT, Math.round((100 * failed) / Math.max(1, attempts)));
  const background =
    attempts < FEW ? undefined : `color-mix(in srgb, var(--color-bad-fill) ${heat}%, transparent)`;
  return (
    <td className="p-0.5! text-right whitespace-nowrap" title={`${counts} attempts`}>
      <Link
        href={href}
        className="grid h-11 items-center rounded-md px-3 hover:outline hover:outline-control"
        style={{ background }}
      >
        {attempts < FEW ? <span className="text-muted">few, {counts}</span> : percent(failed, attempts)}
      </Link>
    </td>
  );
}

/** Percent of red. More would hide the number. */
const MAX_HEAT = 26;

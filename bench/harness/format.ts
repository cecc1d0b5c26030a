/** Formats numbers and tables of the printed report. Pure. */
import type { Report, Table } from './report.ts';
import { summarize } from './statistics.ts';

/** Three significant digits, without an exponent. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}

/** `median (min to max)` of samples in milliseconds. */
export function formatSpread(samples: readonly number[]): string {
  const { min, median, max } = summarize(samples);
  return `${formatNumber(median)} (${formatNumber(min)} to ${formatNumber(max)})`;
}

/** A ratio, as `3.2x`. */
export function formatRatio(ratio: number): string {
  return Number.isFinite(ratio) ? `${formatNumber(ratio)}x` : '-';
}

/** The report as text, its method first. */
export function formatReport(report: Report): string {
  const method = report.method.map((line) => `  - ${line}`);
  const tables = report.tables.map((table) => formatTable(table));
  return [`## ${report.name}`, '', ...method, '', tables.join('\n\n'), ''].join('\n');
}

function formatTable({ title, columns, rows }: Table): string {
  const lines = [columns, ...rows];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => (line[index] ?? '').length)));
  const print = (line: readonly string[]): string => {
    const cells = line.map((cell, index) =>
      index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
    );
    return cells.join('  ').trimEnd();
  };
  const rule = '-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return [title, rule, print(columns), rule, ...rows.map((row) => print(row))].join('\n');
}

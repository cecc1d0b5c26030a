/** Summary of a step in Markdown: the value as a table, attempts, cost and commits. Pure. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import type { ActionReport } from './action-report.ts';

const MAX_ROWS = 50;
const MAX_CELL_CHARS = 2_000;
const MAX_MESSAGE_CHARS = 4_000;

const HEADLINES: Readonly<Record<ActionReport['status'], string>> = {
  valid: 'The agent finished',
  invalid: 'The answer is missing or invalid',
  failed: 'The run failed',
  question: 'The agent asks a question',
  declined: 'The agent declined',
};

/** Returns the Markdown. Text of the agent is shown unchanged, never as markup. */
export function actionSummary(report: ActionReport): string {
  const { status, message, value, attempts, commits, branch, costUsd, sandbox } = report;
  const facts = [
    `status \`${status}\``,
    ...(sandbox === undefined ? [] : [`sandbox ${escapeMarkdown(sandbox)}`]),
    ...(attempts.length === 0 ? [] : [`${attempts.length} attempt${attempts.length === 1 ? '' : 's'}`]),
    ...(costUsd === undefined ? [] : [`${costUsd.toFixed(4)} US dollars`]),
    ...(commits.length === 0
      ? []
      : [
          `${commits.length} commit${commits.length === 1 ? '' : 's'} on ${escapeMarkdown(branch ?? 'HEAD')}`,
        ]),
  ];
  return [
    `### ${HEADLINES[status]}`,
    '',
    facts.join(' · '),
    ...(message === undefined ? [] : ['', escapeMarkdown(cut(message, MAX_MESSAGE_CHARS))]),
    ...(value === undefined ? [] : ['', ...valueTable(value)]),
    ...(attempts.every(({ code }) => code === 'ok') ? [] : ['', ...attemptTable(report)]),
    '',
  ].join('\n');
}

function valueTable(value: unknown): readonly string[] {
  const entries: readonly (readonly [string, unknown])[] = isRecord(value)
    ? Object.entries(value)
    : Array.isArray(value)
      ? value.map((each: unknown, index) => [String(index), each])
      : [['value', value]];
  const rest = entries.length - MAX_ROWS;
  return [
    ...head(['key', 'value']),
    ...entries.slice(0, MAX_ROWS).map(([key, each]) => row([key, textOf(each)])),
    ...(rest > 0 ? [row(['…', `${rest} more`])] : []),
  ];
}

function attemptTable({ attempts }: ActionReport): readonly string[] {
  return [
    ...head(['attempt', 'result', 'message']),
    ...attempts.slice(0, MAX_ROWS).map(({ code, message }, index) => row([String(index + 1), code, message])),
  ];
}

function head(cells: readonly string[]): readonly string[] {
  return [
    row(cells),
    row(
      cells.map(() => '---'),
      (cell) => cell,
    ),
  ];
}

function row(cells: readonly string[], shown: (cell: string) => string = cellText): string {
  return `| ${cells.map(shown).join(' | ')} |`;
}

function cellText(text: string): string {
  return escapeMarkdown(cut(text, MAX_CELL_CHARS));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`;
}

/** Each punctuation character becomes its code, which is never markup, and each line break a `<br>`. */
function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[!-/:-@[-`{-~]/gu, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll(/\r\n|[\r\n]/gu, '<br>')
    .replaceAll(/\p{Cc}/gu, ' ');
}

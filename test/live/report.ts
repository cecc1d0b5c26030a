/** Report of the proof with real models: its form, and the section of `docs/tested.md`. Pure. */
import type { LiveAnswer } from './answer-task.ts';

export interface LiveRow {
  readonly contestant: string;
  readonly model: string;
  readonly answers: readonly LiveAnswer[];
  /** Why tasks were left out: no key, no program, or its share of the limit is spent. */
  readonly left?: string;
}

export interface LiveReport {
  /** `2026-11-28` */
  readonly date: string;
  readonly limitUsd: number;
  readonly spentUsd: number;
  readonly sandbox: string;
  readonly tasks: number;
  readonly rows: readonly LiveRow[];
}

/** Lines of a Markdown table. */
export function liveTable({ rows, tasks }: Pick<LiveReport, 'rows' | 'tasks'>): string {
  const lines = rows.map(({ contestant, model, answers, left }) => {
    const count = (holds: (answer: LiveAnswer) => boolean): number => answers.filter(holds).length;
    const codes = [...new Set(answers.map(({ code }) => code))].filter((code) => code !== 'ok');
    const cost = answers.reduce((sum, { usage }) => sum + (usage?.costUsd ?? 0), 0);
    const cells = [
      contestant,
      `\`${model}\``,
      `${answers.length} of ${tasks}`,
      count(({ code }) => code === 'ok'),
      count(({ code, attempts }) => code === 'ok' && attempts === 1),
      count(({ isRight }) => isRight),
      answers.length === 0 ? '–' : cost.toFixed(3),
      [
        ...codes.map((code) => `${count((each) => each.code === code)} ${code}`),
        ...(left === undefined ? [] : [left]),
      ].join(', ') || '–',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| who | model | asked | valid | at once | right | US dollars | notes |',
    '|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

/** The section of the page. Without a report it says so. */
export function liveSection(report: LiveReport | undefined): string {
  if (report === undefined) return 'Not run yet: there is no report with a key.';
  const { date, spentUsd, limitUsd, sandbox } = report;
  return `\`npm run proof:live\` on ${date}, sandbox ${sandbox}, ${spentUsd.toFixed(2)} of at most ${limitUsd.toFixed(2)} US dollars.\n\n${liveTable(report)}`;
}

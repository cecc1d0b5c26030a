/** Owns what a person sees of a run of an ensemble: lines made of its events, the same live and in a replay. Pure. */
import type { EnsembleLimits } from '../../ensemble/conductor/ensemble-scenario.ts';
import type { LedgerEvent } from '../../ensemble/ledger/ledger-event.ts';
import { foldCompliance, type ComplianceRow } from '../../ensemble/projections/compliance.ts';
import { columnsOf, toTerminalText } from '../../run/logging/terminal-text.ts';
import { labelAnswer } from './answer-label.ts';
import { addCall, describeBudget, counted, NOTHING_SPENT, type RunSpent } from './run-budget.ts';
import { wrapText } from './wrap-text.ts';

/** A line in parts, each with how it is meant. */
export type ViewLine = readonly ViewPart[];

/** Some words of a line. */
export interface ViewPart {
  readonly text: string;
  readonly tone: ViewTone;
}

/** What words are for; a terminal gives each a style. */
export type ViewTone = 'plain' | 'title' | 'name' | 'good' | 'doubtful' | 'bad' | 'quiet' | 'verdict';

/** What the view knows beside the events. */
export interface EnsembleViewOptions {
  /** Columns of the terminal. */
  readonly columns: number;
  /** Title of the scenario. @default the scenario's name */
  readonly title?: string;
  /** @default only what was spent is told */
  readonly limits?: EnsembleLimits;
}

/** Makes lines of events. */
export interface EnsembleView {
  /** Takes in the next event of the run, and returns the lines that it adds. Never throws. */
  show(event: LedgerEvent): readonly ViewLine[];
  /** Where the run stands, in one line. */
  status(): string;
}

type Payload = LedgerEvent['payload'];

const INDENT = '  ';
/** Lines longer than this are hard to read, however wide the terminal. */
const MAX_COLUMNS = 100;
const MIN_COLUMNS = 24;
/** Told by a line of their own, not beside the text. */
const TOLD_FIELDS: ReadonlySet<string> = new Set([
  'text',
  '_raw_fallback',
  'winner',
  'scores',
  'accused',
  'correct',
  'no_contest',
]);

/** Begins a view of a run. */
export function createEnsembleView({ columns, title, limits = {} }: EnsembleViewOptions): EnsembleView {
  const width = Math.max(MIN_COLUMNS, Math.min(columns - 1, MAX_COLUMNS));
  let turn = 0;
  let spent: RunSpent = NOTHING_SPENT;
  const compliance = foldCompliance();

  const status = (): string => {
    const ofTurns = limits.turns === undefined ? '' : ` of ${limits.turns}`;
    return `turn ${turn}${ofTurns} · ${describeBudget(spent, limits)}`;
  };
  const beginTurn = (event: LedgerEvent): ViewLine[] => {
    if (event.turn <= turn || event.kind === 'run.finished') return [];
    turn = event.turn;
    const words = `── ${status()} `;
    return [[], [quiet(words + '─'.repeat(Math.max(0, width - columnsOf(words))))]];
  };
  return {
    status,
    show(event) {
      if (event.kind === 'model.called') spent = addCall(spent, event);
      compliance.apply(event);
      const opening = beginTurn(event);
      if (event.kind === 'run.finished')
        return [...opening, ...finished(event, { spent, width, rows: compliance.read() })];
      const shown = Object.hasOwn(SHOW, event.kind) ? SHOW[event.kind] : undefined;
      return [...opening, ...(shown ?? spoke)(event, { width, title })];
    },
  };
}

interface ShowContext {
  readonly width: number;
  readonly title: string | undefined;
}

const SHOW: Readonly<Record<string, (event: LedgerEvent, context: ShowContext) => readonly ViewLine[]>> = {
  'run.started': ({ payload }, { width, title }) => [
    [{ text: toTerminalText(title ?? text(payload, 'scenario')), tone: 'title' }],
    ...indented(text(payload, 'goal'), width, 'plain'),
    ...indented(`Seed: ${text(payload, 'seed')}`, width, 'quiet'),
    ...indented(`Cast: ${castOf(payload)}`, width, 'quiet'),
  ],
  'world.observed': (event, { width }) => [
    [],
    ...(event.actor === 'conductor' ? [] : [speaker(event)]),
    ...indented(text(event.payload, 'text'), width, 'quiet'),
  ],
  'user.injected': ({ payload, actor }, { width }) => [
    [],
    [{ text: toTerminalText(text(payload, 'label') || actor), tone: 'name' }],
    ...indented(text(payload, 'text'), width, 'plain'),
  ],
  'agent.skipped': ({ payload }) => [noted(payload, `skipped: ${text(payload, 'reason')}`, 'doubtful')],
  'agent.abstained': ({ payload }) => [noted(payload, 'says nothing', 'quiet')],
  'agent.failed': ({ payload }) => [
    noted(payload, `failed, ${text(payload, 'code')}: ${text(payload, 'message')}`, 'bad'),
  ],
  'model.called': ({ payload }) =>
    text(payload, 'code') === 'ok' ? [] : [noted(payload, `call failed: ${text(payload, 'code')}`, 'bad')],
  'tool.called': ({ payload }) => [
    noted(payload, `used ${text(payload, 'tool')}: ${text(payload, 'code')}`, 'quiet'),
  ],
  'run.closing': ({ payload }) => [
    [],
    [
      quiet(
        toTerminalText(
          `Closing: ${[text(payload, 'reason'), text(payload, 'limit')].filter(Boolean).join(', ')}`,
        ),
      ),
    ],
  ],
  'judge.verdict': (event, { width }) => [
    ...spoke(event, { width, title: undefined }),
    ...ruling(event.payload).map((words): ViewLine => [
      { text: `${INDENT}${toTerminalText(words)}`, tone: 'verdict' },
    ]),
  ],
};

function spoke(event: LedgerEvent, { width }: ShowContext): readonly ViewLine[] {
  const { payload } = event;
  const extras = Object.entries(payload).flatMap(([name, value]) =>
    TOLD_FIELDS.has(name) || typeof value !== 'string' ? [] : [`${name}: ${value}`],
  );
  return [
    [],
    speaker(event),
    ...indented(text(payload, 'text'), width, 'plain'),
    ...extras.flatMap((extra) => indented(extra, width, 'quiet')),
  ];
}

/** Who says what sort of thing, and how the answer was got. */
function speaker({ actor, kind, provenance, model }: LedgerEvent): ViewLine {
  const label = provenance === undefined ? undefined : labelAnswer(provenance);
  const how = label?.words ?? '';
  return [
    { text: toTerminalText(actor), tone: 'name' },
    quiet(kind === 'agent.spoke' ? '' : ` ${kind}`),
    { text: how === '' ? '' : ` · ${how}`, tone: label?.isFirstTry === true ? 'good' : 'doubtful' },
    quiet(model === undefined ? '' : toTerminalText(` · ${model}`).replace(/^·/u, ' ·')),
  ].filter((part): part is ViewPart => part.text !== '');
}

/** What a verdict decides, in words. */
function ruling(payload: Payload): readonly string[] {
  const { winner, accused, correct, scores, no_contest: noContest } = payload;
  const points = Object.entries(typeof scores === 'object' && scores !== null ? scores : {})
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    .sort((a, b) => b[1] - a[1])
    .map(([name, score]) => `${name} ${score}`);
  return [
    ...(typeof accused === 'string' ? [`Accuses ${accused}${verdictOn(correct)}.`] : []),
    ...(typeof winner === 'string' ? [`Winner: ${winner}`] : []),
    ...(points.length > 0 ? [`Scores: ${points.join(', ')}`] : []),
    ...(typeof noContest === 'object' && noContest !== null && 'reason' in noContest
      ? [`No contest: ${String(noContest.reason)}`]
      : []),
  ];
}

function verdictOn(correct: unknown): string {
  return typeof correct === 'boolean' ? (correct ? ', rightly' : ', wrongly') : '';
}

interface Ending {
  readonly spent: RunSpent;
  readonly width: number;
  readonly rows: readonly ComplianceRow[];
}

function finished({ payload }: LedgerEvent, { spent, width, rows }: Ending): readonly ViewLine[] {
  const winner = text(payload, 'winner');
  const { turns } = payload;
  const parts = [
    `Ended: ${text(payload, 'reason')}`,
    winner === '' ? 'no winner' : `winner ${winner}`,
    counted(typeof turns === 'number' ? turns : 0, 'turn'),
    counted(spent.calls, 'call'),
    counted(spent.tokens, 'token'),
    ...(spent.usd > 0 ? [`$${spent.usd.toFixed(2)}`] : []),
    `${sum(rows, 'validOnFirstTry')} of ${sum(rows, 'answers')} answers at the first try`,
  ];
  return [[], ...wrapText(parts.join(' · '), width).map((line): ViewLine => [{ text: line, tone: 'title' }])];
}

function sum(rows: readonly ComplianceRow[], name: 'answers' | 'validOnFirstTry'): number {
  return rows.reduce((total, row) => total + row[name], 0);
}

function noted(payload: Payload, words: string, tone: ViewTone): ViewLine {
  return [
    { text: toTerminalText(text(payload, 'agent')), tone: 'name' },
    { text: ` ${toTerminalText(words)}`, tone },
  ];
}

function castOf(payload: Payload): string {
  const { cast } = payload;
  if (typeof cast !== 'object' || cast === null) return '';
  return Object.entries(cast)
    .map(([name, seat]: [string, unknown]) => {
      const model: unknown = typeof seat === 'object' && seat !== null && 'model' in seat ? seat.model : '';
      return typeof model === 'string' && model !== '' ? `${name} (${model})` : name;
    })
    .join(', ');
}

function indented(words: string, width: number, tone: ViewTone): readonly ViewLine[] {
  return wrapText(words, width - INDENT.length).map((line) => [{ text: `${INDENT}${line}`, tone }]);
}

function text(payload: Payload, name: string): string {
  const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
  return typeof value === 'string' ? value : '';
}

function quiet(words: string): ViewPart {
  return { text: words, tone: 'quiet' };
}

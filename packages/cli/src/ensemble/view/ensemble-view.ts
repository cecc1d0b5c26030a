/**
 * Text view of an ensemble run: converts its events to lines, identical live and in a replay. Pure.
 */
import type { ModelErrorCode } from '@truecast/core/internal/errors/model-error';
import type { EnsembleLimits } from '@truecast/ensemble/internal/scenario/ensemble-scenario';
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import { foldCompliance } from '@truecast/ensemble/internal/projections/compliance';
import { columnsOf, toTerminalText } from 'truecast/internal/support/terminal-text';
import { labelAnswer, scoreText } from '../pages/answer-label.ts';
import { addCall, describeBudget, NOTHING_SPENT, type RunSpent } from './run-budget.ts';
import { closingLines, endingLines } from './view-ending.ts';
import { indented, quiet, textIn, type ViewLine, type ViewPart, type ViewTone } from './view-line.ts';

/** Inputs of the view besides the events. */
export interface EnsembleViewOptions {
  readonly columns: number;
  /** Title of the scenario. @default the scenario's name */
  readonly title?: string;
  /** @default no limits; the view shows only the amounts spent */
  readonly limits?: EnsembleLimits;
}

export interface EnsembleView {
  /** Accepts the next event of the run, and returns the lines that it adds. Never throws. */
  show(event: LedgerEvent): readonly ViewLine[];
  /** Returns the run's state as one line. Pass `turn` if it is ahead of the events. */
  status(turn?: number): string;
}

type Payload = LedgerEvent['payload'];

/** Longer lines are hard to read, even on a wide terminal. */
const MAX_COLUMNS = 100;
const MIN_COLUMNS = 24;
/** Codes of calls without an answer, and what they mean. Any other code is a problem of the answer. */
const CALL_FAILURES: Readonly<Record<ModelErrorCode | 'aborted', string | undefined>> = {
  http: undefined,
  unreachable: 'no service answers at the address',
  'rate-limit': undefined,
  'context-full': 'the prompt is larger than the context window',
  stream: 'the connection broke',
  timeout: 'the reply took too long',
  'too-large': 'the reply is too large',
  redirect: 'the service redirects to another address',
  aborted: undefined,
};
/** Fields with a separate line. They are not repeated next to the text. */
const TOLD_FIELDS: ReadonlySet<string> = new Set([
  'text',
  '_raw_fallback',
  'winner',
  'scores',
  'accused',
  'correct',
  'no_contest',
]);

export function createEnsembleView({ columns, title, limits = {} }: EnsembleViewOptions): EnsembleView {
  const width = Math.max(MIN_COLUMNS, Math.min(columns - 1, MAX_COLUMNS));
  let turn = 0;
  let spent: RunSpent = NOTHING_SPENT;
  let cast: Cast = NOBODY;
  /** The agent of the last line, if that line was a note on this agent. Else empty. */
  let notedAgent = '';
  const compliance = foldCompliance();

  const status = (inTurn = turn): string => {
    const ofTurns = limits.turns === undefined ? '' : ` of ${limits.turns}`;
    return `turn ${inTurn}${ofTurns} · ${describeBudget(spent, limits)}`;
  };
  const beginTurn = (event: LedgerEvent): ViewLine[] => {
    if (event.turn <= turn || event.kind === 'run.finished') return [];
    turn = event.turn;
    notedAgent = '';
    const words = `── ${status()} `;
    return [[], [quiet(words + '─'.repeat(Math.max(0, width - columnsOf(words))))]];
  };
  /** Groups consecutive notes on one agent, with a blank line before the group. */
  const spaced = (event: LedgerEvent, lines: readonly ViewLine[]): readonly ViewLine[] => {
    const [first] = lines;
    if (first === undefined) return lines;
    const agent = Object.hasOwn(NOTES, event.kind) ? textIn(event.payload, 'agent') : '';
    const isSame = notedAgent !== '' && notedAgent === (agent === '' ? event.actor : agent);
    notedAgent = agent;
    if (agent !== '') return isSame ? lines : [[], ...lines];
    return isSame && first.length === 0 ? lines.slice(1) : lines;
  };
  return {
    status,
    show(event) {
      if (event.kind === 'model.called') spent = addCall(spent, event);
      if (event.kind === 'run.started') cast = castIn(event.payload);
      compliance.apply(event);
      const opening = beginTurn(event);
      const rows = compliance.read();
      if (event.kind === 'run.finished') return [...opening, ...endingLines(event, { spent, width, rows })];
      const show = (Object.hasOwn(SHOW, event.kind) ? SHOW[event.kind] : undefined) ?? spoke;
      return [...opening, ...spaced(event, show(event, { width, title, cast }))];
    },
  };
}

/** The players in cast order, and their models. */
interface Cast {
  readonly names: readonly string[];
  readonly models: readonly string[];
}

const NOBODY: Cast = { names: [], models: [] };

function castIn(payload: Payload): Cast {
  const seats: unknown = payload['cast'];
  if (typeof seats !== 'object' || seats === null) return NOBODY;
  const models = Object.values(seats).map((seat: unknown) =>
    typeof seat === 'object' && seat !== null && 'model' in seat ? String(seat.model) : '',
  );
  return { names: Object.keys(seats), models };
}

function onlyModelOf({ models }: Cast): string | undefined {
  return new Set(models).size === 1 ? models[0] : undefined;
}

function nameOf(actor: string, { names }: Cast): ViewPart {
  const seat = names.indexOf(actor);
  return { text: toTerminalText(actor), tone: 'name', ...(seat !== -1 && { seat }) };
}

interface ShowContext {
  readonly width: number;
  readonly title: string | undefined;
  readonly cast: Cast;
}

type Show = (event: LedgerEvent, context: ShowContext) => readonly ViewLine[];

/** Notes on a member, besides its text. */
const NOTES: Readonly<Record<string, Show>> = {
  'agent.skipped': noted(({ reason }) => [`skipped: ${String(reason)}`, 'doubtful']),
  'agent.abstained': noted(() => ['abstained', 'quiet']),
  'agent.failed': noted(({ code, message }) => [`failed, ${String(code)}: ${String(message)}`, 'bad']),
  'model.called': noted(({ code }) => {
    if (code === 'ok' || typeof code !== 'string') return undefined;
    if (code === 'unsupported') return ['asked in another way: the server rejected the request', 'quiet'];
    if (!isCallFailure(code)) return [`answer not valid: ${code}`, 'doubtful'];
    const meaning = CALL_FAILURES[code];
    return [`call failed: ${code}${meaning === undefined ? '' : ` (${meaning})`}`, 'bad'];
  }),
  'tool.called': noted(({ tool, code }) => [`used ${String(tool)}: ${String(code)}`, 'quiet']),
};

function isCallFailure(code: string): code is keyof typeof CALL_FAILURES {
  return Object.hasOwn(CALL_FAILURES, code);
}

const SHOW: Readonly<Record<string, Show>> = {
  ...NOTES,
  'run.started': ({ payload }, { width, title, cast }) => [
    [{ text: toTerminalText(title ?? textIn(payload, 'scenario')), tone: 'title' }],
    ...indented(textIn(payload, 'goal'), width, 'plain'),
    ...indented(`Seed: ${textIn(payload, 'seed')}`, width, 'quiet'),
    ...indented(`Cast: ${describeCast(cast)}`, width, 'quiet'),
  ],
  'world.observed': (event, { width, cast }) => [
    [],
    ...(event.actor === 'conductor' ? [] : [speaker(event, cast)]),
    ...indented(textIn(event.payload, 'text'), width, 'quiet'),
  ],
  'user.injected': ({ payload, actor }, { width }) => [
    [],
    [{ text: toTerminalText(textIn(payload, 'label') || actor), tone: 'name' }],
    ...indented(textIn(payload, 'text'), width, 'plain'),
  ],
  'run.closing': ({ payload }) => closingLines(payload),
  'judge.verdict': (event, context) => [
    ...spoke(event, context),
    ...ruling(event.payload).map((words): ViewLine => [
      { text: `  ${toTerminalText(words)}`, tone: 'verdict' },
    ]),
  ],
};

function spoke(event: LedgerEvent, { width, cast }: ShowContext): readonly ViewLine[] {
  const { payload } = event;
  const extras = Object.entries(payload).flatMap(([name, value]) =>
    TOLD_FIELDS.has(name) || typeof value !== 'string' ? [] : [`${name}: ${value}`],
  );
  return [
    [],
    speaker(event, cast),
    ...indented(textIn(payload, 'text'), width, 'plain'),
    ...extras.flatMap((extra) => indented(extra, width, 'quiet')),
  ];
}

/** Heading line: the actor, the kind of event, and how the answer was obtained. */
function speaker({ actor, kind, provenance, model }: LedgerEvent, cast: Cast): ViewLine {
  const label = provenance === undefined ? undefined : labelAnswer(provenance);
  const how = label?.words ?? '';
  return [
    nameOf(actor, cast),
    quiet(kind === 'agent.spoke' ? '' : ` ${kind}`),
    { text: how === '' ? '' : ` · ${how}`, tone: label?.isFirstTry === true ? 'good' : 'doubtful' },
    quiet(
      model === undefined || model === onlyModelOf(cast)
        ? ''
        : toTerminalText(` · ${model}`).replace(/^·/u, ' ·'),
    ),
  ].filter((part): part is ViewPart => part.text !== '');
}

/** Describes the decision of a verdict. */
function ruling(payload: Payload): readonly string[] {
  const { winner, accused, correct, scores, no_contest: noContest } = payload;
  const points = scoreText(scores);
  return [
    ...(typeof accused === 'string' ? [`Accuses ${accused}${verdictOn(correct)}.`] : []),
    ...(typeof winner === 'string' ? [`Winner: ${winner}`] : []),
    ...(points === '' ? [] : [`Scores: ${points}`]),
    ...(typeof noContest === 'object' && noContest !== null && 'reason' in noContest
      ? [`No contest: ${String(noContest.reason)}`]
      : []),
  ];
}

function verdictOn(correct: unknown): string {
  return typeof correct === 'boolean' ? (correct ? ', correctly' : ', incorrectly') : '';
}

type Note = (payload: Payload) => readonly [words: string, tone: ViewTone] | undefined;

function noted(note: Note): Show {
  return ({ payload }, { cast }) => {
    const told = note(payload);
    if (told === undefined) return [];
    const [words, tone] = told;
    return [[nameOf(textIn(payload, 'agent'), cast), { text: ` ${toTerminalText(words)}`, tone }]];
  };
}

function describeCast(cast: Cast): string {
  const only = onlyModelOf(cast);
  const named = (name: string, index: number): string => {
    const model = cast.models[index] ?? '';
    return only === undefined && model !== '' ? `${name} (${model})` : name;
  };
  const names = cast.names.map(named).join(', ');
  return only === undefined || only === '' ? names : `${names}; all played by ${only}`;
}

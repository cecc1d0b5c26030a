/** Lines of an ensemble's run that an audience can read. Pure. */
import type { LedgerEventView } from '@truecast/client/internal/wire/ensemble';

export interface StageLine {
  readonly event: LedgerEventView;
  readonly actor: string;
  readonly text: string;
  /** Further members of the event, as text. */
  readonly notes: readonly string[];
  readonly isPrivate: boolean;
}

/** Kinds without text for an audience. */
const SILENT: ReadonlySet<string> = new Set(['run.started', 'run.closing', 'run.finished', 'model.called']);
const PRIVATE: ReadonlySet<string> = new Set(['agent.thought', 'agent.reflected']);
const WORDS = ['text', 'message', 'reason'];

/** Returns the lines in the order of the ledger. */
export function stageLines(events: readonly LedgerEventView[]): readonly StageLine[] {
  return events.filter(({ kind }) => !SILENT.has(kind)).map(toLine);
}

function toLine(event: LedgerEventView): StageLine {
  const { payload, actor, kind, provenance } = event;
  const text = WORDS.map((name) => payload[name]).find((value) => typeof value === 'string');
  const notes = Object.entries(payload)
    .filter(([name, value]) => !WORDS.includes(name) && !/^(?:_|agent$)/u.test(name) && value !== null)
    .map(([name, value]) => `${name}: ${noteText(value)}`);
  return {
    event,
    actor: typeof payload['agent'] === 'string' ? payload['agent'] : actor,
    text: typeof text === 'string' ? text : '',
    notes: [...notes, ...answerNotes(provenance)],
    isPrivate: PRIVATE.has(kind),
  };
}

/** Flat members read as a list. Others are JSON. */
function noteText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  const members: readonly (readonly [string, unknown])[] = Object.entries(value);
  if (members.some(([, member]) => typeof member === 'object' && member !== null)) {
    return JSON.stringify(value);
  }
  return members
    .map(([name, member]) => `${Array.isArray(value) ? '' : `${name} `}${String(member)}`)
    .join(', ');
}

/** How the answer was obtained, if it was not valid at once. */
export function answerNotes(provenance: LedgerEventView['provenance']): readonly string[] {
  const { attempts, rung, repairs, tier } = provenance ?? {};
  return [
    ...(typeof attempts === 'number' && attempts > 1 ? [`asked ${attempts} times`] : []),
    ...(tier === 'embedded' ? ['found in prose'] : []),
    ...(Array.isArray(repairs) && repairs.length > 0 ? ['repaired'] : []),
    ...(rung === 'raw' ? ['raw text'] : []),
  ];
}

/** A step among lines. */
export type StageStep = 'previous' | 'next' | 'previous-turn' | 'next-turn' | 'first' | 'last';

/** The key of each step. `shift` is part of it. */
const KEYS: Readonly<Record<string, StageStep>> = {
  ArrowLeft: 'previous',
  ArrowRight: 'next',
  'shift ArrowLeft': 'previous-turn',
  'shift ArrowRight': 'next-turn',
  Home: 'first',
  End: 'last',
};

/** Returns the step of a key, or undefined. */
export function stepOfKey(key: string, isShift: boolean): StageStep | undefined {
  const name = isShift ? `shift ${key}` : key;
  return Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
}

/**
 * Returns the position after a step. A step back goes to the first line of the turn, and from there
 * to the turn before.
 */
export function afterStep(lines: readonly StageLine[], at: number, step: StageStep): number {
  const last = Math.max(0, lines.length - 1);
  switch (step) {
    case 'previous':
      return Math.max(0, at - 1);
    case 'next':
      return Math.min(last, at + 1);
    case 'first':
      return 0;
    case 'last':
      return last;
    case 'next-turn': {
      const next = lines.findIndex((line, index) => index > at && turnOf(line) !== turnOf(lines[at]));
      return next === -1 ? last : next;
    }
    case 'previous-turn': {
      const turn = turnOf(lines[Math.max(0, at - 1)]);
      let first = Math.max(0, at - 1);
      while (first > 0 && turnOf(lines[first - 1]) === turn) first -= 1;
      return first;
    }
    default:
      return step satisfies never;
  }
}

function turnOf(line: StageLine | undefined): number | undefined {
  return line?.event.turn;
}

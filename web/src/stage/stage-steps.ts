/** Steps through the lines of a run: to a neighbouring line, turn, or end. Pure. */
import type { StageLine } from './stage-lines.ts';

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

/** Typed fields of a verdict: the winner and the scores. Pure. */
import { accept, pick, reject, type EventField, type FieldReading, type FieldRepair } from './event-field.ts';

/** The highest score that a verdict can give. */
export const HIGHEST_SCORE = 10;
/** A number as models write it: `7`, `7.5`, `7/10`, `7 points`. */
const NUMERAL = /^\s*([+-]?\d{1,9}(?:[.,]\d{1,9})?)\s*(?:\/\s*10|points?)?\s*$/iu;

/** Returns the field `winner`. `winners` are the known names. */
export function winnerField(winners: readonly string[]): EventField {
  const isListed = winners.length > 0;
  return {
    name: 'winner',
    hint: "<a player's name, or null>",
    rule: isListed
      ? `winner must be one of: ${winners.join(' | ')}, or null when nobody has won.`
      : "winner is a player's name, or null when nobody has won.",
    example: null,
    jsonSchema: isListed ? { enum: [...winners, null] } : { type: ['string', 'null'] },
    stub: (choice) => (isListed ? pick(winners, choice) : null),
    fallback: () => null,
    read: (value) => {
      if (value === undefined || value === null) return accept(null);
      const [only, second] = Array.isArray(value) ? (value as readonly unknown[]) : [];
      if (typeof only === 'string' && second === undefined && isName(only, winners)) {
        return { value: only, faults: [], repairs: [{ kind: 'opened-wrapper', path: [] }] };
      }
      if (typeof value !== 'string') return reject('wrong-type', 'a name or null', value, null);
      return accept(value.trim() === '' ? null : value);
    },
  };
}

function isName(name: string, winners: readonly string[]): boolean {
  return winners.length === 0 ? name.trim() !== '' : winners.includes(name);
}

/**
 * Returns the field `scores`. An unreadable value is dropped, and never makes the answer invalid.
 */
export function scoresField(winners: readonly string[]): EventField {
  return {
    name: 'scores',
    hint: { '<player>': 7 },
    rule: `scores gives each player a number, 0 to ${HIGHEST_SCORE}.`,
    example: {},
    jsonSchema: { type: 'object', additionalProperties: { type: 'number' } },
    stub: (choice) =>
      Object.fromEntries(winners.map((name, index) => [name, (choice >>> (4 * index)) % HIGHEST_SCORE])),
    fallback: () => ({}),
    read: (value) => {
      if (value === undefined || value === null) return accept({});
      if (typeof value !== 'object' || Array.isArray(value)) {
        return { value: {}, faults: [], repairs: [{ kind: 'dropped-value', path: [] }] };
      }
      return readScores(Object.entries(value));
    },
  };
}

function readScores(entries: readonly (readonly [string, unknown])[]): FieldReading {
  const repairs: FieldRepair[] = [];
  const kept = entries.flatMap(([name, given]): (readonly [string, number])[] => {
    const score = scoreIn(given);
    if (score === undefined) repairs.push({ kind: 'dropped-value', path: [name] });
    else if (score !== given) repairs.push({ kind: 'coerced-number', path: [name] });
    return score === undefined ? [] : [[name, score]];
  });
  return { value: Object.fromEntries(kept), faults: [], repairs };
}

function scoreIn(given: unknown): number | undefined {
  if (typeof given === 'number') return Number.isFinite(given) ? given : undefined;
  const numeral = typeof given === 'string' ? NUMERAL.exec(given)?.[1] : undefined;
  return numeral === undefined ? undefined : Number(numeral.replace(',', '.'));
}

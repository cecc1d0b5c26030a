/** Owns the one description of an event's fields, from which the prompt, the JSON Schema, the validator and the stub are made. Pure. */
import type { JsonSchema } from '../../schema/json-schema-types.ts';
import type { JsonValue } from '../../schema/json-value.ts';
import type { EventContractOptions } from './event-options.ts';
import type { EventViolationCode } from './event-result.ts';

/** One field of an event: everything that is known of it. */
export interface EventField {
  readonly name: string;
  /** What stands for it in the prompt's schema line. */
  readonly hint: JsonValue;
  /** What the prompt says of it in words. */
  readonly rule?: string;
  /** What stands for it in the prompt's example. */
  readonly example: JsonValue;
  readonly jsonSchema: JsonSchema;
  /** The value when the model leaves it out; a field without one is required. */
  readonly fallback?: () => JsonValue;
  /** What the offline stub answers, chosen by a number. */
  readonly stub: (choice: number) => JsonValue;
  /** Judges a value: what is kept of it (`undefined` is nothing), and what is wrong. */
  readonly read: (value: unknown) => FieldReading;
}

/** What is kept of a field's value, and what was wrong with it. */
export interface FieldReading {
  readonly value: unknown;
  readonly faults: readonly FieldFault[];
}

/** One thing that is wrong with a field's value. */
export interface FieldFault {
  readonly code: EventViolationCode;
  /** From the field inwards. */
  readonly path: readonly string[];
  /** What was expected, as the end of a sentence: `Expected …`. */
  readonly expected: string;
  readonly got: unknown;
}

/** What stands in the prompt for a text that the model has to think of. */
const PLACEHOLDER = '...';
const EXAMPLE_TEXT = 'A paper lantern drifts over the frozen harbour, and nobody claims it.';
const HIGHEST_SCORE = 10;

/** What the stub says. */
const OPENINGS = ['Under the pier', 'By the last lamp', 'Past the orchard wall', 'Above the dry canal'];
const HAPPENINGS = [
  'a kettle starts to hum in two keys.',
  'someone has swept the stairs twice.',
  'the tide returns a single glove.',
  'a bell rings before it is struck.',
];
const STUB_WORDS = ['calm', 'curious', 'restless', 'hopeful'];

/** Returns the fields of an event under a contract, `kind` and `text` first. */
export function eventFields(options: EventContractOptions): readonly EventField[] {
  const extras = (options.extraFields ?? []).map((name) => {
    const wellKnown = isWellKnownField(name) ? WELL_KNOWN[name] : undefined;
    return wellKnown === undefined ? stringField(name) : wellKnown(options.winners ?? []);
  });
  return [kindField(options.allowedKinds), TEXT, ...extras];
}

/** Tells whether a field has a meaning of its own, so that what it holds is no event. */
export function isWellKnownField(name: string): boolean {
  return Object.hasOwn(WELL_KNOWN, name);
}

function kindField(kinds: readonly string[]): EventField {
  return {
    name: 'kind',
    hint: PLACEHOLDER,
    rule: `kind must be one of: ${kinds.join(' | ')}`,
    example: kinds[0] ?? '',
    jsonSchema: { type: 'string', enum: [...kinds] },
    stub: (choice) => pick(kinds, choice),
    read: (value) => {
      if (typeof value === 'string' && kinds.includes(value)) return accept(value);
      const code = value === undefined ? 'kind-missing' : 'kind-not-granted';
      return reject(code, `one of: ${kinds.join(' | ')}`, value);
    },
  };
}

const TEXT: EventField = {
  name: 'text',
  hint: PLACEHOLDER,
  rule: 'text must be one or two sentences, vivid and specific.',
  example: EXAMPLE_TEXT,
  jsonSchema: { type: 'string', minLength: 1 },
  stub: (choice) => `${pick(OPENINGS, choice)} ${pick(HAPPENINGS, choice >>> 8)}`,
  read: (value) => {
    if (value === undefined) return reject('field-missing', 'a text', value);
    if (typeof value !== 'string') return reject('wrong-type', 'a text', value);
    const text = value.trim();
    if (text === '') return reject('text-empty', 'a text that is not empty', value);
    if (text === PLACEHOLDER || text === '…' || text === EXAMPLE_TEXT)
      return reject('text-echo', 'a text of its own, not the one of the prompt', value);
    return accept(value);
  },
};

/** The extra fields that the engine knows how to type; every other name is a required string. */
const WELL_KNOWN: Readonly<Record<string, (winners: readonly string[]) => EventField>> = {
  winner: winnerField,
  scores: scoresField,
};

function stringField(name: string): EventField {
  return {
    name,
    hint: PLACEHOLDER,
    example: PLACEHOLDER,
    jsonSchema: { type: 'string' },
    stub: (choice) => pick(STUB_WORDS, choice),
    read: (value) => {
      if (value === undefined) return reject('field-missing', 'a string', value);
      return typeof value === 'string' ? accept(value) : reject('wrong-type', 'a string', value);
    },
  };
}

function winnerField(winners: readonly string[]): EventField {
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
      if (typeof value !== 'string') return reject('wrong-type', 'a name or null', value, null);
      return accept(value.trim() === '' ? null : value);
    },
  };
}

function scoresField(winners: readonly string[]): EventField {
  return {
    name: 'scores',
    hint: { '<player>': 7 },
    rule: `scores gives each player a number, 0 to ${HIGHEST_SCORE}.`,
    example: {},
    jsonSchema: { type: 'object', additionalProperties: { type: 'number' } },
    stub: (choice) =>
      Object.fromEntries(
        winners.map((name, index) => [name, (choice >>> (4 * index)) % (HIGHEST_SCORE + 1)]),
      ),
    fallback: () => ({}),
    read: (value) => {
      if (value === undefined) return accept({});
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return reject('wrong-type', 'numbers by name', value, {});
      return readScores(Object.entries(value));
    },
  };
}

function readScores(entries: readonly (readonly [string, unknown])[]): FieldReading {
  const isNumber = (score: unknown): boolean => typeof score === 'number' && Number.isFinite(score);
  return {
    value: Object.fromEntries(entries.filter(([, score]) => isNumber(score))),
    faults: entries
      .filter(([, score]) => !isNumber(score))
      .map(([name, got]) => ({ code: 'wrong-type', path: [name], expected: 'a number', got })),
  };
}

function accept(value: unknown): FieldReading {
  return { value, faults: [] };
}

function reject(code: EventViolationCode, expected: string, got: unknown, kept?: unknown): FieldReading {
  return { value: kept, faults: [{ code, path: [], expected, got }] };
}

function pick(from: readonly string[], choice: number): string {
  return from[choice % from.length] ?? '';
}

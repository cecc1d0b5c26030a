/**
 * Field table of an event. The prompt, the JSON Schema, the validator and the stub are all derived
 * from it. Pure.
 */
import type { JsonSchema } from '../schema/engine/json-schema-types.ts';
import type { JsonValue } from '../schema/json-value.ts';
import type { EventContractOptions } from './event-options.ts';
import type { EventViolationCode } from './event-result.ts';

/** One field of an event, in every representation. */
export interface EventField {
  readonly name: string;
  /** Its placeholder in the prompt's schema line. */
  readonly hint: JsonValue;
  /** Its description in the prompt. */
  readonly rule?: string;
  /** Its value in the prompt's example. */
  readonly example: JsonValue;
  readonly jsonSchema: JsonSchema;
  /** Default value. A field without one is required. */
  readonly fallback?: () => JsonValue;
  /** The offline stub's answer, selected by a number. */
  readonly stub: (choice: number) => JsonValue;
  /** Validates a value. Returns the kept value (`undefined` for nothing) and its problems. */
  readonly read: (value: unknown) => FieldReading;
}

/** The kept value of a field, and its problems. */
export interface FieldReading {
  readonly value: unknown;
  readonly faults: readonly FieldFault[];
}

/** One problem of a field's value. */
export interface FieldFault {
  readonly code: EventViolationCode;
  /** Path below the field. */
  readonly path: readonly string[];
  /** The expectation, as the end of the sentence `Expected …`. */
  readonly expected: string;
  readonly got: unknown;
}

/** Placeholder in the prompt for a text that the model writes. */
const PLACEHOLDER = '...';
const EXAMPLE_TEXT = 'A paper lantern drifts over the frozen harbour, and nobody claims it.';
const HIGHEST_SCORE = 10;

/** Texts of the stub. */
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

/** Returns true for a field with a reserved meaning, whose value is not an event. */
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
    if (text === '') return reject('text-empty', 'a non-empty string', value);
    if (text === PLACEHOLDER || text === '…' || text === EXAMPLE_TEXT)
      return reject('text-echo', 'its own text, not the text of the prompt', value);
    return accept(value);
  },
};

/** Extra fields with a built-in type. Every other name is a required string. */
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

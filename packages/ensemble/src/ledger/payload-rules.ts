/**
 * Payload validation for kinds that the engine and its views read: required fields and their types.
 * Pure.
 */
import { cut, describeValue } from '@truecast/core/internal/kit/describe-value';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import { TOKEN_FIELDS } from './fold.ts';

type Payload = Readonly<Record<string, unknown>>;

/** A field's check and its description. */
interface Rule {
  readonly expected: string;
  readonly isOptional?: true;
  readonly holds: (value: unknown) => boolean;
}

type Fields = Readonly<Record<string, Rule>>;

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isString = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0;
const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isString);

const text: Rule = { expected: 'a non-empty string', holds: isText };
const words: Rule = { expected: 'a string', holds: isString };
const count: Rule = { expected: 'a non-negative integer', holds: isCount };
const amount: Rule = { expected: 'a non-negative number', holds: isAmount };
const names: Rule = { expected: 'an array of strings', holds: isList };
const object: Rule = { expected: 'an object', holds: isRecord };
const flag: Rule = { expected: 'true', holds: (value) => value === true };
const nameOrNull: Rule = {
  expected: 'a name or null',
  holds: (value) => value === null || isText(value),
};
const scores: Rule = {
  expected: 'numbers by name',
  isOptional: true,
  holds: (value) => isRecord(value) && Object.values(value).every((score) => typeof score === 'number'),
};
const noContest: Rule = {
  expected: 'an object with a `reason`',
  isOptional: true,
  holds: (value) => isRecord(value) && isText(value['reason']),
};
const usage: Rule = {
  expected: 'tokens by name, none negative',
  isOptional: true,
  holds: (value) =>
    isRecord(value) && TOKEN_FIELDS.every((name) => isCount(value[name])) && isPrice(value['costUsd']),
};

/** Payloads that agents write can have further fields. */
const OPEN_FIELDS: Readonly<Record<string, Fields>> = {
  'world.observed': { text },
  'agent.spoke': { text },
  'agent.thought': { text },
  'agent.reflected': { text },
  'judge.verdict': { text, winner: optional(nameOrNull), scores, no_contest: noContest },
};

const FIELDS: Readonly<Record<string, Fields>> = {
  ...OPEN_FIELDS,
  'run.started': { seed: words, goal: words, scenario: text, cast: object, competition: optional(object) },
  'run.closing': { reason: text, limit: optional(text), last_word: optional(flag) },
  'run.finished': {
    reason: oneOf(['verdict', 'budget', 'turns', 'user_stop', 'failed', 'no-progress']),
    winner: nameOrNull,
    winner_kind: oneOf(['agent', 'team', null]),
    winners: names,
    winning_models: names,
    turns: count,
    tokens: optional(count),
  },
  'user.injected': { text, label: optional(text) },
  'agent.failed': { agent: text, code: text, message: words },
  'agent.skipped': { agent: text, reason: text, tier: nameOrNull },
  'agent.abstained': { agent: text },
  'model.called': { agent: text, call: count, model: text, code: text, usage, duration_ms: amount },
  'tool.called': { agent: text, tool: text, code: text, duration_ms: amount },
};

/** The only field with a leading `_`: set by the contract, never by a model. */
const RAW_FALLBACK = '_raw_fallback';

/**
 * Rejects a payload that views could not read, or that claims fields reserved for the engine.
 *
 * @throws LedgerError `invalid-event`
 */
export function assertPayload(kind: string, payload: unknown): asserts payload is Payload {
  if (!isRecord(payload)) refuse(kind, 'payload', 'an object', payload);
  for (const [name, value] of Object.entries(payload)) {
    const isForged = name.startsWith('_') && !(name === RAW_FALLBACK && value === true);
    if (isForged) refuse(kind, name, 'no field that begins with `_`', value);
  }
  const fields = Object.hasOwn(FIELDS, kind) ? FIELDS[kind] : undefined;
  if (fields !== undefined) assertFields(kind, payload, fields);
}

function assertFields(kind: string, payload: Payload, fields: Fields): void {
  for (const [name, rule] of Object.entries(fields)) {
    const value = payload[name];
    if (value === undefined ? rule.isOptional !== true : !rule.holds(value)) {
      refuse(kind, name, rule.expected, value);
    }
  }
  if (Object.hasOwn(OPEN_FIELDS, kind)) return;
  const unknown = Object.keys(payload).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) refuse(kind, unknown, 'no such field', payload[unknown]);
}

function isPrice(value: unknown): boolean {
  return value === undefined || isAmount(value);
}

function optional(rule: Rule): Rule {
  return { ...rule, isOptional: true };
}

function oneOf(values: readonly (string | null)[]): Rule {
  return {
    expected: `one of ${values.join(', ')}`,
    holds: (value) => values.some((known) => known === value),
  };
}

function refuse(kind: string, field: string, expected: string, got: unknown): never {
  throw new LedgerError(
    `Expected \`${cut(field)}\` of \`${kind}\` to be ${expected}, got ${describeValue(got)}. Correct the payload.`,
    { code: 'invalid-event' },
  );
}

/** Contract options (granted kinds, extra fields, winners), their validation, and the fields of an event. Pure. */
import { assertKind, UsageError } from '../errors/usage-error.ts';
import { describeValue } from '../kit/describe-value.ts';
import { accept, pick, reject, type EventField } from './event-field.ts';
import { PLACEHOLDER, stringField, textField } from './string-fields.ts';
import { scoresField, winnerField } from './verdict-fields.ts';

/** The allowed answers of an agent. */
export interface EventContractOptions<TKind extends string = string> {
  /** The kinds that the agent can emit; at least one. */
  readonly allowedKinds: readonly TKind[];
  /** Fields beside `kind` and `text`: required strings, except `winner` (string or null) and `scores` (numbers by name). @default [] */
  readonly extraFields?: readonly string[];
  /**
   * Allowed names of `winner`: shown to the model and its decoder, not checked by the validator.
   */
  readonly winners?: readonly string[];
  /** Maximum length of `text` and of each extra string, in characters. @default 1000 */
  readonly maxTextChars?: number;
}

/** Keys through which an object could reach a prototype. */
export const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Rejects a contract that no answer could satisfy, or that would weaken the grant. */
export function assertContract(contract: EventContractOptions): void {
  assertKind(contract, 'an object', 'options', 'Pass `{ allowedKinds }`.');
  const { allowedKinds, extraFields = [], winners, maxTextChars } = contract;
  assertNames('allowedKinds', allowedKinds);
  if (allowedKinds.length === 0) {
    refuse(
      'Expected `allowedKinds` to grant at least one kind, got none. List the kinds that the agent may emit.',
    );
  }
  assertNames('extraFields', extraFields);
  for (const field of extraFields) assertExtraField(field);
  if (winners !== undefined) assertNames('winners', winners);
  if (maxTextChars === undefined || (Number.isSafeInteger(maxTextChars) && maxTextChars > 0)) return;
  refuse(
    `Expected \`maxTextChars\` to be a whole number of 1 or more, got ${describeValue(maxTextChars)}. Correct it.`,
  );
}

/** Rejects a fallback kind outside the grant. */
export function assertFallbackKind(fallbackKind: unknown, allowedKinds: readonly string[]): void {
  if (allowedKinds.some((kind) => kind === fallbackKind)) return;
  refuse(
    `Expected \`fallbackKind\` to be one of \`allowedKinds\` (${allowedKinds.join(', ')}), got ${describeValue(fallbackKind)}. Choose a granted kind, usually the first.`,
  );
}

function assertNames(option: string, names: unknown): void {
  if (!Array.isArray(names)) {
    refuse(`Expected \`${option}\` to be an array of names, got ${describeValue(names)}.`);
  }
  const seen = new Set<unknown>();
  for (const name of names as unknown[]) {
    if (typeof name !== 'string' || name.trim() === '') {
      refuse(`Expected each of \`${option}\` to be a name, got ${describeValue(name)}. Remove it.`);
    }
    if (seen.has(name)) {
      refuse(`Expected \`${option}\` to name each once, got ${describeValue(name)} twice. Remove one.`);
    }
    seen.add(name);
  }
}

function assertExtraField(field: string): void {
  if (field !== 'kind' && field !== 'text' && !field.startsWith('_') && !PROTOTYPE_KEYS.has(field)) return;
  refuse(
    `Expected \`extraFields\` to name no reserved field, got ${describeValue(field)}. \`kind\` and \`text\` are always there; other names must not begin with \`_\` or reach a prototype.`,
  );
}

function refuse(message: string): never {
  throw new UsageError(message);
}

/** Extra fields with a built-in type. Every other name is a required string. */
const WELL_KNOWN: Readonly<Record<string, (winners: readonly string[]) => EventField>> = {
  winner: winnerField,
  scores: scoresField,
};

/** Returns the fields of an event under a contract, `kind` and `text` first. */
export function eventFields(options: EventContractOptions): readonly EventField[] {
  const extras = (options.extraFields ?? []).map((name) => {
    const wellKnown = isWellKnownField(name) ? WELL_KNOWN[name] : undefined;
    return wellKnown === undefined
      ? stringField(name, options.maxTextChars)
      : wellKnown(options.winners ?? []);
  });
  return [kindField(options.allowedKinds), textField(options.maxTextChars), ...extras];
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

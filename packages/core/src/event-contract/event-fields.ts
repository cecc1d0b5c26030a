/**
 * Field table of an event. The prompt, the JSON Schema, the validator and the stub are all derived
 * from it. Pure.
 */
import { accept, pick, reject, type EventField } from './event-field.ts';
import type { EventContractOptions } from './event-options.ts';
import { PLACEHOLDER, stringField, textField } from './string-fields.ts';
import { scoresField, winnerField } from './verdict-fields.ts';

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

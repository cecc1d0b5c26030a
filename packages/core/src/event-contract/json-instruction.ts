/** Prompt block that describes the answer format in words, for any model. Pure. */
import { eventFields, assertContract, type EventContractOptions } from './event-options.ts';

/**
 * Returns the OUTPUT FORMAT block for the end of a prompt: one JSON object, its fields, the granted
 * kinds, an example.
 *
 * The schema line and the example are valid JSON. Derived from the same fields as `eventSchema` and
 * `parseAgentOutput`.
 *
 * @throws UsageError `invalid-option` for an empty grant or a reserved extra field
 * @example
 * ```ts
 * const prompt = `You tend the lighthouse.\n\n${jsonInstruction({ allowedKinds: ['agent.spoke'], extraFields: ['mood'] })}`;
 * ```
 */
export function jsonInstruction(options: EventContractOptions): string {
  assertContract(options);
  const fields = eventFields(options);
  const rules = fields.flatMap(({ rule }) => rule ?? []);
  return [
    'OUTPUT FORMAT',
    'Reply with a single JSON object and nothing else — no prose before or after.',
    schemaLine(options),
    ...rules,
    `Example: ${showObject(fields.map(({ name, example }) => [name, example]))}`,
  ].join('\n');
}

/** Returns the line that shows the shape of an event. Its JSON is valid. */
export function schemaLine(options: EventContractOptions): string {
  return `Schema: ${showObject(eventFields(options).map(({ name, hint }) => [name, hint]))}`;
}

/** JSON with a space after each colon and comma, as in prose. */
function showObject(entries: readonly (readonly [string, unknown])[]): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}: ${showValue(value)}`).join(', ')}}`;
}

function showValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return showObject(Object.entries(value));
  return JSON.stringify(value);
}

/** Deterministic stub answers, derived from the contract alone. Pure. */
import { eventFields } from './event-fields.ts';
import { assertContract, type EventContractOptions } from './event-options.ts';

/** Options of `stubEvent`. */
export interface StubEventOptions extends EventContractOptions {
  /** Seed of the answer, such as the prompt. Equal seeds give equal answers. @default '' */
  readonly seed?: string;
}

/**
 * Returns the JSON text of a compliant model: a granted kind, a text, each extra field.
 *
 * Deterministic: depends on the contract and the seed only. Every answer passes `eventSchema` and
 * is `strict` for `parseAgentOutput`.
 *
 * @throws UsageError `invalid-option` for an empty grant or a reserved extra field
 * @example
 * ```ts
 * const raw = stubEvent({ allowedKinds: ['agent.spoke'], extraFields: ['mood'], seed: 'turn 1' });
 * ```
 */
export function stubEvent({ seed = '', ...contract }: StubEventOptions): string {
  assertContract(contract);
  const values = eventFields(contract).map(({ name, stub }) => [name, stub(hash(`${name}:${seed}`))]);
  return JSON.stringify(Object.fromEntries(values));
}

/** FNV-1a, 32 bits: distributes short texts well enough to choose from a few. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 16_777_619);
  return value >>> 0;
}

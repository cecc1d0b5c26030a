/** Owns the stub: what a model would answer under a contract, made from the contract alone, the same each time. Pure. */
import { eventFields } from './event-fields.ts';
import { assertContract, type EventContractOptions } from './event-options.ts';

/** What `stubEvent` answers to. */
export interface StubEventOptions extends EventContractOptions {
  /** What decides the answer, such as the prompt: the same seed gives the same answer. @default '' */
  readonly seed?: string;
}

/**
 * Returns the JSON that an obedient model would print, as text: a granted kind, a text, each extra field.
 *
 * Deterministic: it depends on the contract and the seed. Every answer passes `eventSchema` and is `strict` for `parseAgentOutput`.
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

/** FNV-1a, 32 bits: spreads short texts well enough to choose from a few. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 16_777_619);
  return value >>> 0;
}

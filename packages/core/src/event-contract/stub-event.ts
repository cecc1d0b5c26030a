/** Deterministic stub answers, derived from the contract alone. Pure. */
import { assertKind } from '../errors/usage-error.ts';
import { eventFields, assertContract, type EventContractOptions } from './event-options.ts';
import { HIGHEST_SCORE } from './verdict-fields.ts';

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
export function stubEvent(options: StubEventOptions): string {
  assertContract(options);
  const { seed = '', ...contract } = options;
  assertKind(seed, 'a string', 'seed', 'Pass any text, or leave it out.');
  const fields = eventFields(contract);
  const values = new Map(fields.map(({ name, stub }) => [name, stub(hash(`${name}:${seed}`))]));
  const [winner, scores] = [values.get('winner'), values.get('scores')];
  // A judge that crowns a lower score would look like a mistake of the engine.
  if (typeof winner === 'string' && typeof scores === 'object' && !Array.isArray(scores)) {
    values.set('scores', { ...scores, [winner]: HIGHEST_SCORE });
  }
  return JSON.stringify(Object.fromEntries(values));
}

/** FNV-1a, 32 bits: distributes short texts well enough to choose from a few. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 16_777_619);
  return value >>> 0;
}

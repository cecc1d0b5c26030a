/** Value of a kept run: its masked JSON, unless it is too large to be kept. */
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';

const MAX_VALUE_CHARS = 256 * 1024;

/**
 * Returns the JSON of a value without its secrets. Undefined if it is too large, or no JSON.
 *
 * The size is known before anything is masked or written: both would block the event loop for longer
 * than the parser of an answer with very many members, to no purpose.
 */
export function keptValueText(value: unknown, mask: SecretMask): string | undefined {
  if (isLonger(value, MAX_VALUE_CHARS)) return undefined;
  const text: string | undefined = JSON.stringify(maskValue(value, mask));
  return text === undefined || text.length > MAX_VALUE_CHARS ? undefined : text;
}

/** True if the JSON of a value is certainly longer. Stops at the limit: each member has a character. */
function isLonger(value: unknown, chars: number): boolean {
  const pending: unknown[] = [value];
  let left = chars;
  while (pending.length > 0 && left >= pending.length) {
    const next = pending.pop();
    left -= typeof next === 'string' ? next.length : 1;
    if (typeof next !== 'object' || next === null || 'toJSON' in next) continue;
    for (const key in next) {
      if (left < pending.length) break;
      if (!Array.isArray(next)) left -= key.length;
      pending.push((next as Readonly<Record<string, unknown>>)[key]);
    }
  }
  return left < pending.length;
}

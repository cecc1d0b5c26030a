/** Search for secrets in a value that stays as it is. Pure. */
import type { SecretMask } from './secret-mask.ts';

/** Texts that are searched at once. */
const CHUNK_CHARS = 64 * 1024;
/** Begins a terminal sequence, which can hide the rest of a joined text. */
const ESCAPE = '\u001B';

/**
 * Returns the JSON pointers of strings and keys that contain a secret, at most `limit`.
 *
 * A value with very many members is searched in few passes. Only if one of them finds something, the
 * texts are searched one by one for its place.
 */
export function findSecrets(value: unknown, mask: SecretMask, limit: number): readonly string[] {
  if (!hasSecret(value, mask)) return [];
  const found: string[] = [];
  const seen = new Set<unknown>();
  const visit = (each: unknown, path: string): void => {
    if (typeof each === 'string') {
      if (mask.mask(each) !== each) found.push(path);
      return;
    }
    if (typeof each !== 'object' || each === null || seen.has(each)) return;
    seen.add(each);
    for (const [key, member] of Object.entries(each)) {
      if (found.length >= limit) return;
      const masked = mask.mask(key);
      const place = `${path}/${masked.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (masked !== key) found.push(place);
      else visit(member, place);
    }
  };
  visit(value, '');
  return found;
}

/** True if a text of the value contains a secret, or if two texts beside each other look like one. */
function hasSecret(value: unknown, mask: SecretMask): boolean {
  const pending: unknown[] = [value];
  const seen = new Set<unknown>();
  let chunk = '';
  const isSecret = (text: string): boolean => mask.mask(text) !== text;
  const take = (text: string): boolean => {
    if (text.includes(ESCAPE)) return isSecret(text);
    chunk += `${text}\n`;
    if (chunk.length < CHUNK_CHARS) return false;
    const full = chunk;
    chunk = '';
    return isSecret(full);
  };
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string' && take(next)) return true;
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    const members = next as Readonly<Record<string, unknown>>;
    const isList = Array.isArray(next);
    // Keys alone, without numbers: pairs of a value with very many members take three times as long.
    for (const key of Object.keys(members)) {
      if (!isList && take(key)) return true;
      const member = members[key];
      if (typeof member === 'string' || typeof member === 'object') pending.push(member);
    }
  }
  return isSecret(chunk);
}

/** Search for secrets in a value that stays as it is. Pure. */
import type { SecretMask } from './secret-mask.ts';

/** Returns the JSON pointers of strings and keys that contain a secret, at most `limit`. */
export function findSecrets(value: unknown, mask: SecretMask, limit: number): readonly string[] {
  const found: string[] = [];
  const seen = new Set<unknown>();
  const hasSecret = (text: string): boolean => mask.mask(text) !== text;
  const visit = (each: unknown, path: string): void => {
    if (found.length >= limit) return;
    if (typeof each === 'string') {
      if (hasSecret(each)) found.push(path);
      return;
    }
    if (typeof each !== 'object' || each === null || seen.has(each)) return;
    seen.add(each);
    for (const [key, member] of Object.entries(each)) {
      const place = `${path}/${mask.mask(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (hasSecret(key)) found.push(place);
      else visit(member, place);
    }
  };
  visit(value, '');
  return found;
}

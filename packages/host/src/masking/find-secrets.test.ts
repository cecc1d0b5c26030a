import { expect, it } from 'vitest';
import { findSecrets } from './find-secrets.ts';
import { createSecretMask } from './secret-mask.ts';

const SECRET = 'Zorro7Q2x_pk';
const mask = createSecretMask([SECRET]);
const wide = (secret: string): Record<string, unknown> => ({
  ...Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`key${index}`, `text${index}`])),
  last: [{ 'a/b': secret }],
});

it('names the places of strings and keys, up to a limit', () => {
  const value = { a: [1, `x ${SECRET}`], [`${SECRET}/x`]: { b: SECRET }, c: SECRET };
  expect(findSecrets(value, mask, 5)).toEqual(['/a/1', '/************~1x', '/c']);
  expect(findSecrets(value, mask, 1)).toEqual(['/a/1']);
  expect(findSecrets(SECRET, mask, 5)).toEqual(['']);
  expect(findSecrets(wide(SECRET), mask, 5)).toEqual(['/last/0/a~1b']);
});

it('searches 180,000 texts in few passes', () => {
  const passes: string[] = [];
  const counting = {
    ...mask,
    mask: (text: string) => {
      passes.push(text);
      return mask.mask(text);
    },
  };
  expect(findSecrets(wide('nothing'), counting, 5)).toEqual([]);
  const chars = passes.reduce((sum, text) => sum + text.length, 0);
  expect(chars).toBeLessThan(2_200_000);
  expect(passes.length).toBeLessThan(1 + chars / 65_536);
});

it('finds a secret that a terminal sequence splits, behind very many sequences', () => {
  const styled = '\u001B[1mx'.repeat(2_000);
  const split = `${SECRET.slice(0, 5)}\u001B[1m${SECRET.slice(5)}`;
  expect(findSecrets([split, ...Array.from({ length: 50 }, () => styled)], mask, 5)).toEqual(['/0']);
  expect(findSecrets([...Array.from({ length: 50 }, () => styled), split], mask, 5)).toEqual(['/50']);
});

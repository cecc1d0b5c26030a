import { expect, it } from 'vitest';
import { createSecretMask } from '@truecast/host/internal/masking/secret-mask';
import { keptValueText } from './kept-value.ts';

const SECRET = 'Zorro7Q2x_pk';

/** A mask that counts the texts that pass it, and a reading of the members of an object. */
function counted() {
  const { mask, stream } = createSecretMask([SECRET]);
  const texts: string[] = [];
  return {
    texts,
    mask: {
      mask: (text: string) => {
        texts.push(text);
        return mask(text);
      },
      stream,
    },
  };
}

it('keeps a value as JSON without its secrets', () => {
  const { mask } = counted();
  expect(keptValueText({ [SECRET]: [SECRET, 1, null, { at: undefined }] }, mask)).toBe(
    '{"************":["************",1,null,{}]}',
  );
  expect(keptValueText('', mask)).toBe('""');
  expect(keptValueText(undefined, mask)).toBeUndefined();
});

it.each<[string, () => unknown]>([
  [
    'an object of 90,000 members',
    () => Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [`k${n}`, n])),
  ],
  ['a list of 300,000 numbers', () => Array.from({ length: 300_000 }, () => 1)],
  ['300,000 nested objects', () => Array.from({ length: 300_000 }, () => ({ a: { b: 1 } }))],
  ['one long text', () => ({ a: ['x'.repeat(300_000)] })],
])('neither masks nor writes %s', (_name, value) => {
  const { mask, texts } = counted();
  expect(keptValueText(value(), mask)).toBeUndefined();
  expect(texts).toEqual([]);
});

it('keeps a value of nearly 256 KiB, and none whose JSON is longer', () => {
  const { mask } = counted();
  expect(keptValueText('x'.repeat(262_142), mask)).toHaveLength(262_144);
  expect(keptValueText('x'.repeat(262_143), mask)).toBeUndefined();
});

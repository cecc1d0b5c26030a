import { array, assert, constantFrom, integer, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createByteMask, maskText } from './byte-mask.ts';
import { secretForms, secretsOf } from './secret-forms.ts';

const KEY = 'sk-ant-api03-"Ab/Cd+Ef=="-0123456789';
const FORMS = secretForms(KEY);

/** Every encoding of the key in the tests. */
const WRITTEN: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => JSON.stringify({ key }),
  (key) => encodeURIComponent(key),
  (key) => encodeURIComponent(key).replaceAll(/%../g, (code) => code.toLowerCase()),
  (key) => JSON.stringify({ key }).replaceAll('/', String.raw`\/`),
  (key) => Buffer.from(key).toString('hex'),
  (key) => Buffer.from(key).toString('hex').toUpperCase(),
  (key) => Buffer.from(key).toString('base64'),
  (key) => Buffer.from(`a${key}b`).toString('base64'),
  (key) => Buffer.from(`ab${key}`).toString('base64url'),
];

function pass(text: string, sizes: readonly number[], forms = FORMS): string {
  const mask = createByteMask(forms);
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    parts.push(mask.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat([...parts, mask.end()]).toString();
}

/** Returns true if the text contains eight consecutive characters of any form. */
function leaks(text: string): boolean {
  return FORMS.some((form) => {
    const written = form.toString();
    return Array.from({ length: written.length - 8 }, (_, at) => written.slice(at, at + 8)).some((part) =>
      text.includes(part),
    );
  });
}

describe('the mask of an answer', () => {
  it('replaces the key in every form, wherever the answer is cut', () => {
    assert(
      property(
        constantFrom(...WRITTEN),
        string(),
        string(),
        array(integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 }),
        (write, before, after, sizes) => {
          const text = `${before}<${write(KEY)}>${after}`;
          const masked = pass(text, sizes);
          expect(leaks(masked)).toBe(false);
          expect(Buffer.byteLength(masked)).toBe(Buffer.byteLength(text));
          expect(masked).toBe(maskText(text, FORMS));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('passes everything else unchanged, and buffers only a possible key', () => {
    const mask = createByteMask(FORMS);
    const event = 'data: {"text":"sk-ant is how keys begin"}\n\n';
    expect(mask.push(Buffer.from(event)).toString()).toBe(event);
    expect(mask.push(Buffer.from('… sk-ant')).toString()).toBe('… ');
    expect(mask.push(Buffer.from('elope')).toString()).toBe('sk-antelope');
    expect(mask.end().length).toBe(0);
  });

  it.each([1, 3, 8, 9, 100])(
    'replaces all of two keys that contain or overlap each other, in pieces of %i bytes',
    (size) => {
      const keys = ['abcdefgh', 'abcdefghijkl', 'efghijklmnop', 'xabcdefghx'];
      for (const order of [keys, keys.toReversed()]) {
        const forms = order.flatMap(secretForms);
        expect(pass('<abcdefghijkl> <abcdefghijklmnop> <xabcdefghx>', [size], forms)).toBe(
          `<${'*'.repeat(12)}> <${'*'.repeat(16)}> <${'*'.repeat(10)}>`,
        );
      }
    },
  );

  it('knows the key without its scheme, and takes no version for one', () => {
    const headers = {
      authorization: `Bearer ${KEY}`,
      'x-api-key': 'short',
      'anthropic-version': '2023-06-01',
    };
    expect(secretsOf({ headers })).toEqual([KEY]);
  });
});

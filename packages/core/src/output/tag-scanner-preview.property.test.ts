import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matrixRuns } from '../../../../test/matrix.ts';
import { Output } from './output.ts';
import { createTagScanner } from './tag-scanner.ts';

const pieces = fc.constantFrom(
  '<r>',
  '</r>',
  '<r>{"a":',
  '[',
  ']',
  '"',
  'text',
  '\\n',
  '\\u00e9',
  '1',
  '2.5',
  'true',
  ',',
  '{"k":',
  '}',
  ' ',
  '\n',
  '```json\n',
  '\n```',
);
const said = fc.oneof(
  fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('', 'A <r> tag. ', '<r>{"a":[1]}</r> No: '), fc.json())
    .map(([prose, value]) => `${prose}<r>${value}</r>`),
);

/**
 * Returns true if `later` is an extension of `earlier`: keys, lengths, string prefixes. A scalar
 * stays equal.
 */
function hasGrown(earlier: unknown, later: unknown): boolean {
  if (earlier === undefined) return true;
  if (typeof earlier === 'string') return typeof later === 'string' && later.startsWith(earlier);
  if (typeof earlier !== 'object' || earlier === null) return Object.is(earlier, later);
  if (typeof later !== 'object' || later === null || Array.isArray(earlier) !== Array.isArray(later)) {
    return false;
  }
  return Object.entries(earlier).every(
    ([key, value]) =>
      Object.hasOwn(later, key) && hasGrown(value, (later as Readonly<Record<string, unknown>>)[key]),
  );
}

describe('the preview of a JSON answer', () => {
  it('only grows within one draft, and its drafts only follow each other', () => {
    fc.assert(
      fc.property(said, fc.integer({ min: 1, max: 5 }), (text, step) => {
        // A duplicate key is replaced, as in JSON.parse.
        fc.pre(!/"(\w*)":.*"\1":/su.test(text));
        const scanner = createTagScanner(Output.json({ tag: 'r' }));
        let before = scanner.snapshot();
        for (let at = 0; at < text.length; at += step) {
          scanner.push(text.slice(at, at + step));
          const now = scanner.snapshot();
          expect(now.draft).toBeGreaterThanOrEqual(before.draft);
          if (now.draft === before.draft) expect(hasGrown(before.value, now.value)).toBe(true);
          before = now;
        }
      }),
      { numRuns: matrixRuns(350, 2_000) },
    );
  });

  it('ends as the answer, whenever it was first read', async () => {
    await fc.assert(
      fc.asyncProperty(said, fc.nat(), fc.integer({ min: 1, max: 5 }), async (text, from, step) => {
        const scanner = createTagScanner(Output.json({ tag: 'r' }));
        for (let at = 0; at < text.length; at += step) {
          scanner.push(text.slice(at, at + step));
          if (at >= from % (text.length + 1)) scanner.partial();
        }
        const result = await scanner.finish();
        if (result.success) {
          expect(JSON.stringify(scanner.partial().value)).toBe(JSON.stringify(result.output));
        }
      }),
      { numRuns: matrixRuns(350, 2_000) },
    );
  });

  it('of text ends as the answer too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.integer({ min: 1, max: 5 }), async (inside, step) => {
        const text = `<r>${inside}</r>`;
        const scanner = createTagScanner(Output.string({ tag: 'r' }));
        let before: unknown;
        for (let at = 0; at < text.length; at += step) {
          scanner.push(text.slice(at, at + step));
          const { value } = scanner.partial();
          expect(hasGrown(before, value)).toBe(true);
          before = value;
        }
        const result = await scanner.finish();
        expect(result.success && result.output).toBe(before);
      }),
    );
  });
});

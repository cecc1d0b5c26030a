import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTextTail } from './text-tail.ts';

it('keeps the end of any text, however it was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.integer({ min: 1, max: 20 }), (chunks, maxChars) => {
      const tail = createTextTail(maxChars);
      for (const chunk of chunks) tail.push(chunk);
      expect(tail.toString()).toBe(chunks.join('').slice(-maxChars));
    }),
  );
});

it('keeps the end of long texts in any alphabet', () => {
  const chunk = fc.record({
    text: fc.constantFrom('a', 'é', 'Ω', '😀', '\uD83D'),
    count: fc.constantFrom(0, 1, 3_001, 65_535, 65_536, 70_001, 1_200_000),
  });
  fc.assert(
    fc.property(
      fc.array(chunk, { maxLength: 12 }),
      fc.constantFrom(1, 65_536, 200_000),
      (chunks, maxChars) => {
        const tail = createTextTail(maxChars);
        const texts = chunks.map(({ text, count }) => text.repeat(count));
        for (const text of texts) tail.push(text);
        // Compared as a whole: a difference of long texts takes minutes to print.
        expect(tail.toString() === texts.join('').slice(-maxChars)).toBe(true);
        tail.push('end');
        expect(tail.toString().endsWith('end'.slice(-maxChars))).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

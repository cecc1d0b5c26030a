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

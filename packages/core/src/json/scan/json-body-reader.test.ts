/** Work of the incremental parser, counted as reads of the text. */
import { expect, it } from 'vitest';
import { JsonBodyReader } from './json-body-reader.ts';

class CountedText extends String {
  reads = 0;

  override charAt(at: number): string {
    this.reads += 1;
    return super.charAt(at);
  }

  override charCodeAt(at: number): number {
    this.reads += 1;
    return super.charCodeAt(at);
  }

  override slice(from?: number, to?: number): string {
    this.reads += 1;
    return super.slice(from, to);
  }
}

it('reads an escape with two reads of the text', () => {
  const escapes = 1_000;
  const text = new CountedText(`"${String.raw`\u0000`.repeat(escapes)}`);
  const reader = new JsonBodyReader(undefined);
  // A `String` with the methods of the primitive.
  reader.read(text as unknown as string, 0, text.length);
  expect(text.reads).toBe(1 + 2 * escapes);
});

it.each([
  [String.raw`"\u00g0"`, 5],
  [String.raw`"\ug000"`, 3],
  [String.raw`"\u000"`, 6],
])('stops in %s at the first character that is no digit', (text, stop) => {
  for (let cut = 1; cut <= text.length; cut += 1) {
    const reader = new JsonBodyReader(undefined);
    const at = reader.read(text, 0, cut);
    expect([cut, reader.isDead ? at : reader.read(text, at, text.length)]).toEqual([cut, stop]);
  }
});

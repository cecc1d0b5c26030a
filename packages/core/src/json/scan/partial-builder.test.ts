import { expect, it } from 'vitest';
import { createPartialBuilder, type PartialBuilder } from './partial-builder.ts';

it('adds no member to an object that is too wide for an answer', () => {
  const builder = play(100_002);
  expect(Object.keys(builder.value ?? {})).toHaveLength(100_000);
  builder.endContainer();
  expect(Object.keys(builder.value ?? {}).at(-1)).toBe('k99999');
});

/** Writes an object of that many members, the last of them a text in pieces. */
function play(members: number): PartialBuilder {
  const builder = createPartialBuilder();
  builder.beginContainer(true);
  for (let index = 0; index < members; index += 1) {
    builder.beginString(true);
    builder.stringPiece(`k${index}`);
    builder.endString();
    builder.beginString(false);
    for (const piece of ['a', 'b']) builder.stringPiece(piece);
    builder.endString();
  }
  return builder;
}

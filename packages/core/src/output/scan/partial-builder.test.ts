import { expect, it } from 'vitest';
import { createPartialBuilder } from './partial-builder.ts';

it('adds no member to an object that is too wide for an answer', () => {
  const { sink, ...builder } = play(100_002);
  expect(Object.keys(builder.value() ?? {})).toHaveLength(100_000);
  sink.endContainer();
  expect(Object.keys(builder.value() ?? {}).at(-1)).toBe('k99999');
});

/** Writes an object of that many members, the last of them a text in pieces. */
function play(members: number) {
  const builder = createPartialBuilder();
  const { sink } = builder;
  sink.beginContainer(true);
  for (let index = 0; index < members; index += 1) {
    sink.beginString(true);
    sink.stringPiece(`k${index}`);
    sink.endString();
    sink.beginString(false);
    for (const piece of ['a', 'b']) sink.stringPiece(piece);
    sink.endString();
  }
  return { sink, value: (): object | undefined => builder.value as object | undefined };
}

import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { ElementFeed } from '@truecast/core/internal/output/validate/element-feed';
import { unwrapRoot } from '@truecast/core/internal/schema/wrap-root';
import { readElements, type TakePiece } from './answer-elements.ts';
import type { PartEvent } from '../wire/stream-event.ts';

function reader(element: z.ZodType): { readonly seen: unknown[]; readonly take: TakePiece } {
  const seen: unknown[] = [];
  const output = Output.array({ element });
  const put = (value: unknown): unknown => seen.push(value);
  const feed = new ElementFeed(output, { put, end: () => undefined, fail: (error) => void put(error) });
  return { seen, take: readElements(feed, { output, inverse: unwrapRoot }) };
}

/** Pieces of a text, from an offset on. */
function pieces(text: string, kind: 'text' | 'tool_call' = 'text', size = 3): PartEvent[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) => ({
    type: 'part',
    kind,
    delta: text.slice(index * size, (index + 1) * size),
    request_id: 'r',
    offset: index * size,
  }));
}

async function takeAll(take: TakePiece, parts: readonly PartEvent[]): Promise<void> {
  for (const part of parts) await take(part);
}

it.each([
  ['the text of a schema mode', '{"value":[1,2,3,4]}', 'text'],
  ['the arguments of a call', '{"output":{"value":[1,2,3,4]}}', 'tool_call'],
] as const)('reads elements from %s, the last one not yet', async (_title, text, kind) => {
  const { seen, take } = reader(z.number());
  await takeAll(take, pieces(text, kind));
  expect(seen).toEqual([1, 2, 3]);
});

it('begins again with each text, and leaves a text with a lost piece', async () => {
  const { seen, take } = reader(z.number());
  const first = pieces('{"value":[1,2,"x",4]}');
  await takeAll(take, first);
  expect(seen).toEqual([1, 2]);
  const second = pieces('{"value":[1,2,3,4,5,6]}');
  await takeAll(take, second.toSpliced(5, 1));
  expect(seen).toEqual([1, 2]);
  await takeAll(take, second);
  expect(seen).toEqual([1, 2, 3, 4, 5]);
});

it('does not read a text whose form a provider can have changed, but the arguments of a call', async () => {
  const { seen, take } = reader(z.unknown());
  await takeAll(take, pieces('{"value":["{}",2,3]}'));
  expect(seen).toEqual([]);
  await takeAll(take, pieces('{"output":{"value":[{},2,3]}}', 'tool_call'));
  expect(seen).toEqual([{}, 2]);
});

it('ignores other texts', async () => {
  const { seen, take } = reader(z.number());
  await takeAll(take, pieces('Well, {"value":[1,2,3]}'));
  await take({ type: 'part', kind: 'text', delta: '{"value":[1,2,3' });
  expect(seen).toEqual([]);
});

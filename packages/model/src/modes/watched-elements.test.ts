import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { ElementFeed } from '@truecast/core/internal/output/validate/element-feed';
import { watchElements } from './watched-elements.ts';

const output = Output.array({ element: z.number() });

it('converts each element back once, and nothing else of the list', async () => {
  const seen: unknown[] = [];
  const put = (value: unknown): unknown => seen.push(value);
  const feed = new ElementFeed(output, { put, end: () => undefined, fail: () => undefined });
  let restored = 0;
  const restore = (value: unknown): unknown => {
    const { output: list } = value as { readonly output: readonly unknown[] };
    restored += list.length;
    return list;
  };
  const take = watchElements(feed, output, true).watch({ name: 'native', restore });
  const list: number[] = [];
  const growing = { output: list };
  let taken = 0;
  for (let piece = 0; piece < 8_000; piece += 1) {
    if (piece % 4 === 0) list.push(piece / 4);
    const taking = take(growing);
    taken += taking === undefined ? 0 : 1;
    expect(await taking).not.toBe(true);
  }
  feed.finish([...list]);
  expect(seen).toEqual(list);
  expect([restored, taken]).toEqual([1_999, 1_999]);
});

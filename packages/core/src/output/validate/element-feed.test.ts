/** Checks which elements of a growing array are given, in which order, and when a loop of them fails. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createChannel } from '../../kit/channel.ts';
import { Output } from '../output.ts';
import { ElementFeed } from './element-feed.ts';
import { createElementLoop, type ElementLoop } from './element-loop.ts';

interface Moon {
  readonly id: number;
}

const output = Output.array({ element: z.object({ id: z.number() }) });
const same = (item: unknown): unknown => item;
const [one, two, three] = [{ id: 1 }, { id: 2 }, { id: 3 }];

/** A feed with what it gave: elements, then how it ended. */
function watched(definition: ReturnType<typeof Output.array> = output): {
  readonly feed: ElementFeed;
  readonly given: unknown[];
} {
  const given: unknown[] = [];
  const feed = new ElementFeed(definition, {
    put: (value) => given.push(value),
    end: () => given.push('end'),
    fail: (error) => given.push(error),
  });
  feed.begin();
  return { feed, given };
}

describe('a feed of elements', () => {
  it('gives an element when the next one has begun, and the last ones with the answer', async () => {
    const { feed, given } = watched();
    expect(feed.take([one], same)).toBeUndefined();
    await feed.take([one, two], same);
    expect(given).toEqual([one]);
    await feed.take([one, two, { id: 0 }, {}], same);
    expect(given).toEqual([one, two, { id: 0 }]);
    const known = [0, 1, 2].map((index) => given[index]);
    feed.finish([...known, three]);
    expect(given).toEqual([one, two, { id: 0 }, three, 'end']);
  });

  it('has nothing to do while no further element is complete', async () => {
    const { feed } = watched();
    expect(feed.take([], same)).toBeUndefined();
    await feed.take([one, two], same);
    expect(feed.take([one, { id: 22 }], same)).toBeUndefined();
  });

  it('gives a copy, so that a caller that changes it does not change the comparison', async () => {
    const { feed, given } = watched(Output.array({ element: z.looseObject({ id: z.number() }) }));
    const written = { id: 1, deep: { a: 1 } };
    await feed.take([written, two], same);
    expect(given).toEqual([written]);
    expect(given[0]).not.toBe(written);
    feed.begin();
    await feed.take([{ id: 1, deep: { a: 1 } }, two], same);
    expect(given).toHaveLength(1);
  });

  it('gives what the restoring function returns', async () => {
    const { feed, given } = watched();
    await feed.take(
      [
        ['id', 7],
        ['id', 8],
      ],
      (item) => ({ id: (item as readonly unknown[])[1] }),
    );
    expect(given).toEqual([{ id: 7 }]);
  });

  it('returns the first invalid element with its index, and gives nothing behind it', async () => {
    const { feed, given } = watched();
    const verdict = await feed.take([one, { id: 'x' }, three, {}], same);
    expect(verdict).toMatchObject({ type: 'rejected', issues: [{ path: [1, 'id'] }] });
    expect(given).toEqual([one]);
    expect(feed.take([one, two, three, {}], same)).toBeUndefined();
    expect(given).toEqual([one]);
  });

  it('gives no element of a later draft again, and goes on behind them', async () => {
    const { feed, given } = watched();
    await feed.take([one, { id: 'x' }, {}], same);
    feed.begin();
    await feed.take([one, two, three], same);
    expect(given).toEqual([one, two]);
  });

  it('fails where a later draft begins with other elements', async () => {
    const { feed, given } = watched();
    await feed.take([one, two, {}], same);
    feed.begin();
    await feed.take([one, three, {}], same);
    expect(given).toMatchObject([
      one,
      two,
      { code: 'restarted', message: expect.stringContaining('at [1]') },
    ]);
    feed.finish([one, three]);
    feed.begin();
    await feed.take([one, two, three, {}], same);
    expect(given).toHaveLength(3);
  });

  it.each([
    ['another element', (given: readonly unknown[]) => [given[0], { id: 2 }], 'at [1]'],
    ['fewer elements', (given: readonly unknown[]) => [given[0]], 'at [1]'],
    ['none', () => [], 'at [0]'],
  ])('fails with an answer that has %s', async (_name, answerOf, place) => {
    const { feed, given } = watched();
    await feed.take([one, two, {}], same);
    feed.finish(answerOf(given));
    expect(given).toMatchObject([one, two, { code: 'restarted', message: expect.stringContaining(place) }]);
  });

  it('ends once', () => {
    const { feed, given } = watched();
    feed.finish([one]);
    feed.finish([one]);
    expect(given).toEqual([one, 'end']);
  });

  it('gives nothing after a failure', () => {
    const { feed, given } = watched();
    feed.fail('lost');
    feed.finish([one]);
    expect(feed.take([one, two], same)).toBeUndefined();
    expect(given).toEqual(['lost']);
  });

  it('knows an element by its index and its form, in any order of keys', async () => {
    const { feed } = watched(Output.array({ element: z.json() }));
    await feed.take([{ a: 1, b: 2 }, one], same);
    expect(feed.at(0, { b: 2, a: 1 })).toMatchObject({ value: { a: 1, b: 2 } });
    expect(feed.at(0, { a: 1 })).toBeUndefined();
    expect(feed.at(1, { a: 1, b: 2 })).toBeUndefined();
  });

  it.each([
    ['that cannot be restored', undefined],
    ['with a key that could reach a prototype', JSON.parse('{"id":1,"x":{"__proto__":1}}')],
    ['with a number that could have been another one', { id: 2 ** 60 }],
    ['that is nested deeper than a growing value shows', nested(491)],
    ['that is wider than a growing value shows', { id: 1, list: Array.from({ length: 100_000 }, () => 0) }],
  ])('leaves an element %s to the judge of the answer', async (_name, item) => {
    const { feed, given } = watched(Output.array({ element: z.unknown() }));
    expect(await feed.take([item, one, two], () => item)).toBeUndefined();
    expect(given).toEqual([]);
    feed.finish([item, one]);
    expect(given).toEqual([item, one, 'end']);
  });

  it.each([
    ['nested as deep as a growing value shows', nested(490)],
    ['as wide as a growing value shows', { list: Array.from({ length: 99_999 }, () => 0) }],
  ])('gives an element %s', async (_name, item) => {
    const { feed, given } = watched(Output.array({ element: z.unknown() }));
    await feed.take([item, one], same);
    expect(given).toEqual([item]);
  });
});

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

describe('a loop over elements', () => {
  const loopOf = (
    result: () => Promise<{ readonly output: unknown }>,
    definition: unknown = output,
  ): { readonly loop: ElementLoop<Moon>; readonly left: () => number } => {
    let count = 0;
    const loop = createElementLoop<Moon>({ output: definition, result, onLeave: () => (count += 1) });
    return { loop, left: () => count };
  };

  it('begins the answer with the loop, and not before', async () => {
    let calls = 0;
    const { loop, left } = loopOf(async () => ({ output: [one, { calls: (calls += 1) }] }));
    expect([calls, loop.feed]).toEqual([0, undefined]);
    const seen: Moon[] = [];
    for await (const element of loop) seen.push(element);
    expect(seen).toEqual([one, { calls: 1 }]);
    expect(left()).toBe(0);
  });

  it('gives nothing if the answer is no list', async () => {
    const { loop } = loopOf(async () => ({ output: 'no list' }));
    expect(await collect(loop)).toEqual([]);
  });

  it('throws the failure of the answer, and is not left by it', async () => {
    const { loop, left } = loopOf(() => Promise.reject(new TypeError('gone')));
    await expect(collect(loop)).rejects.toThrow('gone');
    expect(left()).toBe(0);
  });

  it('is left by a `break`', async () => {
    const { loop, left } = loopOf(async () => ({ output: [one, two] }));
    for await (const element of loop) {
      expect(element).toEqual(one);
      break;
    }
    expect(left()).toBe(1);
  });

  it('keeps its one feed for a second reader', async () => {
    const { loop } = loopOf(async () => ({ output: [one] }));
    const first = loop[Symbol.asyncIterator]();
    const { feed } = loop;
    loop[Symbol.asyncIterator]();
    expect(feed).toBeInstanceOf(ElementFeed);
    expect(loop.feed).toBe(feed);
    expect(await first.next()).toEqual({ value: one, done: false });
  });

  it.each([
    ['another kind', Output.json({}), 'got json'],
    ['a definition of another library', { _tag: 'array' }, 'got array'],
    ['no definition', 'text', 'got `"text"`'],
  ])('is refused for %s, and the answer goes on', (_name, definition, got) => {
    let calls = 0;
    const { loop } = loopOf(() => {
      calls += 1;
      return Promise.reject(new TypeError('unheard'));
    }, definition);
    expect(() => loop[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({ code: 'unsupported', message: expect.stringContaining(got) }),
    );
    expect(calls).toBe(1);
  });

  it('ends its channel with the answer, while a reader waits', async () => {
    const channel = createChannel<unknown>('all');
    const feed = new ElementFeed(output, channel);
    const read = collect(channel);
    feed.finish([one]);
    expect(await read).toEqual([one]);
  });
});

import { describe, expect, it } from 'vitest';
import { createEventStream, toRunPromise } from './event-stream.ts';
import type { RunEvent } from './run-events.ts';

const at = { timestamp: new Date(0), iteration: 1 };
const text = (words: string): RunEvent => ({ type: 'text', text: words, ...at });

async function collect(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('an event stream', () => {
  it('gives events pushed before and during the iteration, in order', async () => {
    const stream = createEventStream();
    stream.push(text('a'));
    const all = collect(stream);
    await Promise.resolve();
    stream.push(text('b'));
    stream.end();
    expect((await all).map((event) => event.type === 'text' && event.text)).toEqual(['a', 'b']);
  });

  it('drops text beyond its buffer, keeps the rest, and reports the dropped count', async () => {
    const stream = createEventStream();
    for (let index = 0; index < 10_005; index += 1) stream.push(text(String(index)));
    stream.push({ type: 'tool-call', name: 'Bash', input: {}, ...at });
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    stream.push(text('later'));
    stream.end();
    const rest = await collect({ [Symbol.asyncIterator]: () => reader });
    expect(rest.filter((event) => event.type === 'tool-call')).toHaveLength(1);
    expect(rest.find((event) => event.type === 'dropped')).toMatchObject({ count: 5 });
  });

  it('throws the failure to its reader after the last event', async () => {
    const stream = createEventStream();
    stream.push(text('a'));
    stream.end({ error: 'reason' });
    await expect(collect(stream)).rejects.toBe('reason');
  });
});

it('lets a caller iterate a run that fails without awaiting it', async () => {
  const stream = createEventStream();
  stream.end({ error: 'reason' });
  const run = toRunPromise(Promise.reject(new RangeError('failed')), stream);
  await expect(collect(run)).rejects.toBe('reason');
});

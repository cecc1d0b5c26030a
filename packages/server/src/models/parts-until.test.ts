import { expect, it } from 'vitest';
import { partsUntil } from './parts-until.ts';

/** A stream that stays open after its first part, and reports its cancellation. */
function openStream(): { readonly stream: ReadableStream<string>; readonly cancelled: Promise<void> } {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const stream = new ReadableStream<string>({
    start: (controller) => controller.enqueue('first'),
    cancel: () => resolve(),
  });
  return { stream, cancelled };
}

it('ends at an abort, although the provider never answers', async () => {
  const controller = new AbortController();
  const next = partsUntil(controller.signal, new Promise<never>(() => undefined)).next();
  controller.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});

it('cancels a stream that opens after the abort', async () => {
  const controller = new AbortController();
  const { stream, cancelled } = openStream();
  const call = Promise.withResolvers<{ readonly stream: ReadableStream<string> }>();
  const next = partsUntil(controller.signal, call.promise).next();
  controller.abort();
  await next;
  call.resolve({ stream });
  await cancelled;
});

it('ends at an abort, although the stream of the provider never ends', async () => {
  const controller = new AbortController();
  const { stream, cancelled } = openStream();
  const read: string[] = [];
  for await (const part of partsUntil(controller.signal, Promise.resolve({ stream }))) {
    read.push(part);
    queueMicrotask(() => controller.abort());
  }
  expect(read).toEqual(['first']);
  await cancelled;
});

it('cancels the stream when its reader leaves', async () => {
  const { stream, cancelled } = openStream();
  const { signal } = new AbortController();
  for await (const part of partsUntil(signal, Promise.resolve({ stream }))) {
    expect(part).toBe('first');
    break;
  }
  await cancelled;
});

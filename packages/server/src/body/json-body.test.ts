import { describe, expect, it } from 'vitest';
import { parseBytes, readBytes } from './json-body.ts';

const MIB = 1024 * 1024;
const LIMITS = { maxBytes: 10, maxDepth: 2, maxValues: 6 };

/** A request whose body is sent in chunks, and how many of them were read. */
function chunked(sizes: readonly number[], end?: Error): { request: Request; read: () => number } {
  let read = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const size = sizes[read];
        if (size === undefined) return end === undefined ? controller.close() : controller.error(end);
        read += 1;
        controller.enqueue(new Uint8Array(size).fill(0x20));
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request('http://127.0.0.1/', { method: 'POST', body, duplex: 'half' });
  return { request, read: () => read };
}

describe('the bytes of a body', () => {
  it.each([
    ['none', [], 'bytes'],
    ['as many as allowed', [6, 4], 'bytes'],
    ['one too many', [6, 5], 'too-large'],
  ])('%s', async (_title, sizes, type) => {
    expect((await readBytes(chunked(sizes).request, LIMITS)).type).toBe(type);
  });

  it('are read beyond the limit and dropped, so that the connection lives', async () => {
    const { request, read } = chunked([MIB, MIB, MIB]);
    expect(await readBytes(request, LIMITS)).toEqual({ type: 'too-large' });
    expect(read()).toBe(3);
  });

  it('are not read to the end if they are far too many', async () => {
    const { request, read } = chunked(Array.from({ length: 50 }, () => MIB));
    expect(await readBytes(request, LIMITS)).toEqual({ type: 'too-large' });
    expect(read()).toBeLessThan(7);
  });

  it('are not read at all if their declared length is far too large', async () => {
    const { request, read } = chunked([MIB]);
    request.headers.set('content-length', String(50 * MIB));
    expect(await readBytes(request, LIMITS)).toEqual({ type: 'too-large' });
    expect(read()).toBe(0);
  });

  it('that end early are reported with the cause', async () => {
    const cause = new Error('reset');
    expect(await readBytes(chunked([3], cause).request, LIMITS)).toEqual({ type: 'cut-off', cause });
  });
});

describe('the structure of a body', () => {
  const limits = { maxBytes: 1_000, maxDepth: 2, maxValues: 6 };
  it.each([
    ['as deep as allowed', '[[1]]', 'bytes'],
    ['too deep', '[[[1]]]', 'too-deep'],
    ['too deep before it is no JSON', '[[[', 'too-deep'],
    ['as many values as allowed', '[1,2,3,4,5]', 'bytes'],
    ['one too many', '[1,2,3,4,5,6]', 'too-many-values'],
    ['too many keys', '{"a":1,"b":2,"c":3}', 'too-many-values'],
    ['marks in strings, which do not count', '["[[[[,,,,::::\\"[[[\\\\"]', 'bytes'],
  ])('%s', async (_title, text, type) => {
    const bytes = new TextEncoder().encode(text);
    // The structure does not depend on where a chunk ends.
    for (const size of [1, 2, 3, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.slice(at * size, (at + 1) * size),
      );
      const body = ReadableStream.from(chunks);
      const request = new Request('http://127.0.0.1/', { method: 'POST', body, duplex: 'half' });
      expect([size, (await readBytes(request, limits)).type]).toEqual([size, type]);
    }
  });
});

describe('the JSON of a body', () => {
  it.each([
    ['a value', '{"a":[1]}', 'json'],
    ['a byte order mark', '\uFEFF{}', 'not-json'],
    ['no JSON', '{', 'not-json'],
  ])('%s', (_title, text, type) => {
    expect(parseBytes(new TextEncoder().encode(text)).type).toBe(type);
  });

  it('is UTF-8', () => {
    expect(parseBytes(new Uint8Array([0x22, 0xff, 0x22])).type).toBe('not-utf-8');
  });
});

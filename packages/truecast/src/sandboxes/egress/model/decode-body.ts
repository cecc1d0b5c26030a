/**
 * Decompression of answers that are compressed despite the request. Reading and masking need plain
 * bytes.
 */
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
// A name that an old Node lacks would fail before the package can say so.
import * as zlib from 'node:zlib';

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => zlib.createUnzip()],
  ['x-gzip', () => zlib.createUnzip()],
  ['deflate', () => zlib.createUnzip()],
  ['br', () => zlib.createBrotliDecompress()],
  ['zstd', () => zlib.createZstdDecompress()],
]);

/**
 * Returns the decoding streams for an answer's body.
 *
 * @throws RangeError for an unsupported encoding
 */
export function bodyDecoders({ headers }: Pick<IncomingMessage, 'headers'>): readonly Transform[] {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return [];
  const decoder = DECODERS.get(encoding);
  if (decoder === undefined) {
    throw new RangeError(`its response has the unsupported encoding ${encoding.slice(0, 40)}`);
  }
  return [decoder()];
}

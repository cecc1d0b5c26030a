/**
 * Decompression of answers that are compressed despite the request. Reading and masking need plain
 * bytes.
 */
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib';

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createUnzip],
  ['x-gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
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

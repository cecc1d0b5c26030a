/**
 * Delta bombs: packs of a few kilobytes with a delta that describes an object of many gigabytes.
 */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

const BASE_BYTES = 16 * 1024 * 1024;
/** The most that one copy instruction of a delta can name. */
const COPY_BYTES = 0xffffff;
const BLOB = 3;
const REFERENCE_DELTA = 7;

/** Returns a pack whose delta inflates to `copies` times 16 MB, among small blobs. */
export function deltaBomb({ copies, blobs }: { readonly copies: number; readonly blobs: number }): Buffer {
  const base = Buffer.alloc(BASE_BYTES);
  const copy = Buffer.from([0xf0, 0xff, 0xff, 0xff]);
  const delta = Buffer.concat([
    sizeOf(BASE_BYTES),
    sizeOf(copies * COPY_BYTES),
    ...Array.from({ length: copies }, () => copy),
  ]);
  const id = createHash('sha1').update(`blob ${BASE_BYTES}\0`).update(base).digest();
  const small = Array.from({ length: blobs }, (_, index) => entry(BLOB, Buffer.from(`${index}`)));
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(blobs + 2, 8);
  const body = [head, ...small, entry(BLOB, base), entry(REFERENCE_DELTA, delta, id)];
  const pack = Buffer.concat(body);
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
}

function entry(type: number, content: Buffer, base: Buffer = Buffer.alloc(0)): Buffer {
  let rest = Math.floor(content.length / 16);
  const head = [(type << 4) | (content.length & 15)];
  for (; rest > 0; rest = Math.floor(rest / 128)) {
    head[head.length - 1] = (head.at(-1) ?? 0) | 0x80;
    head.push(rest % 128);
  }
  return Buffer.concat([Buffer.from(head), base, deflateSync(content)]);
}

function sizeOf(size: number): Buffer {
  const bytes: number[] = [];
  let rest = size;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** Tar archive that contains only folders, each with its owner. Pure. POSIX.1-1988 `ustar`, with GNU's extensions for long names and large ids. */

/** User and group of a folder, as numbers. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const FOLDER = '5';
const LONG_NAME = 'L';
/** The largest id of seven octal digits. A directory service can assign larger ones. */
const MAX_OCTAL_ID = 0o7777777;

/** Returns an archive of absolute paths, which is extracted at the root. */
export function folderArchive(paths: readonly string[], owner: Owner): Uint8Array {
  const entries = paths.flatMap((path) => entryOf(Buffer.from(`${path.slice(1)}/`), owner));
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function entryOf(name: Buffer, owner: Owner): readonly Buffer[] {
  const header = headerOf(name.subarray(0, NAME_BYTES), FOLDER, 0, owner);
  if (name.length <= NAME_BYTES) return [header];
  const size = name.length + 1;
  const data = Buffer.alloc(Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES);
  name.copy(data);
  return [headerOf(Buffer.from('././@LongLink'), LONG_NAME, size, { uid: 0, gid: 0 }), data, header];
}

function headerOf(name: Buffer, type: string, size: number, { uid, gid }: Owner): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  name.copy(header);
  header.write('0000755', 100);
  writeId(header, uid, 108);
  writeId(header, gid, 116);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  // The checksum counts its own field as spaces.
  header.write(' '.repeat(8), 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

function writeId(header: Buffer, id: number, offset: number): void {
  if (id <= MAX_OCTAL_ID) {
    header.write(octal(id, 7), offset);
    return;
  }
  header.writeUInt8(0x80, offset);
  header.writeUInt32BE(id, offset + 4);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

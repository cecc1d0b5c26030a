/**
 * Unlinked file: receives a program's output without a reader, or has its whole input. A pipe breaks when
 * this process is killed, and the program with it.
 */
import { closeSync, fstatSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { smallFilesFolder } from './temporary-folder.ts';

/** A file without a name. */
export interface UnlinkedFile {
  readonly descriptor: number;
  /** Returns its text. Of a text over `maxBytes`, returns the start and the end. */
  read(maxBytes: number): string;
  close(): void;
}

/**
 * Creates a file with a text that a program reads from the start. Undefined if the disk is full or
 * read-only, or on Windows.
 */
export function openUnlinkedFile(text = ''): UnlinkedFile | undefined {
  if (process.platform === 'win32') return undefined;
  const path = join(smallFilesFolder(), `truecast-output-${randomUUID()}`);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    writeAtStart(descriptor, Buffer.from(text));
  } catch {
    if (descriptor !== undefined) closeSync(descriptor);
    return undefined;
  }
  return fileOf(descriptor);
}

/** The program shares the position of the file, which stays at the start. */
function writeAtStart(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
}

function fileOf(descriptor: number): UnlinkedFile {
  return {
    descriptor,
    read(maxBytes) {
      const { size } = fstatSync(descriptor);
      if (size <= maxBytes) return readPart(descriptor, 0, size);
      const half = Math.floor(maxBytes / 2);
      return `${readPart(descriptor, 0, half)}\n…\n${readPart(descriptor, size - half, half)}`;
    },
    close: () => closeSync(descriptor),
  };
}

function readPart(descriptor: number, start: number, length: number): string {
  const buffer = Buffer.alloc(length);
  const count = readSync(descriptor, buffer, 0, length, start);
  return buffer.toString('utf8', 0, count);
}

/**
 * File fingerprints: a string for the state of a file that a guest can write. Opens only regular
 * files and does not follow symlinks.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { toSystemPath } from './walk-checkout.ts';

const MAX_CONTENT_BYTES = 1024 * 1024;

/** Returns a string that changes with the file. Returns `missing` if the file does not exist. */
export function fingerprintOf(root: string, path: string): string {
  const place = toSystemPath(root, path);
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined) return 'missing';
  if (found.isSymbolicLink()) return `link:${readlinkSync(place, 'latin1')}`;
  if (!found.isFile()) return `other:${found.isDirectory() ? 'folder' : found.mode}`;
  const content = readContent(place);
  if (content === undefined) return `large:${found.ino}:${found.ctimeMs}:${found.size}`;
  return `file:${isExecutable(found)}:${createHash('sha256').update(content).digest('hex')}`;
}

/** Returns the content of a regular file. Undefined for everything else and for large files. */
export function readContent(place: Buffer): Buffer | undefined {
  return readRegularFileSync(place, { maxBytes: MAX_CONTENT_BYTES });
}

/**
 * Returns the ids under which git can store a file or symlink without a filter. Empty for
 * everything else.
 */
export function blobIdsOf(root: string, path: string, algorithm: 'sha1' | 'sha256'): readonly string[] {
  const place = toSystemPath(root, path);
  const found = lstatSync(place, { throwIfNoEntry: false });
  const content =
    found?.isSymbolicLink() === true
      ? readlinkSync(place, 'buffer')
      : found?.isFile() === true
        ? readContent(place)
        : undefined;
  if (content === undefined) return [];
  // Git can store a file with Windows line endings with Unix ones.
  const forms = [content, Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')];
  return forms.map((form) =>
    createHash(algorithm).update(`blob ${form.length}\0`).update(form).digest('hex'),
  );
}

function isExecutable({ mode }: Stats): boolean {
  return (mode & 0o111) !== 0;
}

/**
 * Image of an empty memory database: the first one of the process creates its tables, and the next ones are copies of
 * it, which take a fifth of that time. A suite of tests opens hundreds. SQLite lets a copy grow to 1 GiB.
 */
import type { DatabaseSync } from 'node:sqlite';

let image: Uint8Array | undefined;

/** Keeps the image of the first database that has its tables, and no rows of a caller. */
export function keepMemoryImage(database: DatabaseSync): void {
  // Node 22 has no images: each database creates its tables.
  if ('serialize' in database) image ??= database.serialize();
}

/** Fills a new database, if there is an image. */
export function fillFromImage(database: DatabaseSync): void {
  if (image !== undefined) database.deserialize(image);
}

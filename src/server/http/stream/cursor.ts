/**
 * Owns where a stream stands: written into the id of each durable event, read back from `Last-Event-ID`.
 *
 * `base` is the version up to which all is told. Events of the changes after it come in the order of their positions; `position` is that of
 * the last one told. Deletions have no position of their own: those up to the version `deletionsTold` were told.
 */

/** What a durable event tells of; in this order where revisions are the same. */
export const EVENT_RANK = { row: 0, receipt: 1, queue: 2, status: 3, action: 4, retry: 5 } as const;

/** The place of an event among those of its chat. */
export interface EventPosition {
  /** The version of the chat that made it. */
  readonly revision: number;
  readonly rank: number;
  /** The id of the message or of the request. */
  readonly key: string;
}

/** Where a stream stands. */
export interface StreamCursor {
  readonly base: number;
  readonly deletionsTold: number;
  readonly position: EventPosition;
}

const CURSOR = /^(\d{1,15})-(\d{1,15})-(\d{1,15})-(\d)-([\w-]{0,64})$/u;

/** Where a stream begins that has told nothing. */
export function cursorAt(version: number): StreamCursor {
  return { base: version, deletionsTold: version, position: { revision: version, rank: 9, key: '' } };
}

/** Writes a cursor. */
export function writeCursor({ base, deletionsTold, position }: StreamCursor): string {
  if (position.revision === base && deletionsTold === base) return String(base);
  return `${base}-${deletionsTold}-${position.revision}-${position.rank}-${position.key}`;
}

/** Reads a cursor; undefined for what no stream wrote. */
export function readCursor(text: string): StreamCursor | undefined {
  if (/^\d{1,15}$/u.test(text)) return cursorAt(Number(text));
  const [, base, deletions, revision, rank, key] = CURSOR.exec(text) ?? [];
  if (key === undefined) return undefined;
  return {
    base: Number(base),
    deletionsTold: Number(deletions),
    position: { revision: Number(revision), rank: Number(rank), key },
  };
}

/** Compares two positions as `Array.sort` wants it. */
export function comparePositions(one: EventPosition, other: EventPosition): number {
  return (
    one.revision - other.revision ||
    one.rank - other.rank ||
    Number(one.key) - Number(other.key) ||
    (one.key < other.key ? -1 : Number(one.key > other.key))
  );
}

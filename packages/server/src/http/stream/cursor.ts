/**
 * Stream cursor: written into the id of each durable event, read from `Last-Event-ID`.
 *
 * All events up to the version `base` were sent. Later events are sent in the order of their
 * positions, and `position` is that of the last one. Deletions have no position. Those up to the
 * version `deletionsTold` were sent.
 */

/** Kind of a durable event. This order breaks ties of equal revisions. */
export const EVENT_RANK = { row: 0, receipt: 1, queue: 2, status: 3, action: 4, retry: 5 } as const;

/** Position of an event in its chat. */
export interface EventPosition {
  /** The chat version that created it. */
  readonly revision: number;
  readonly rank: number;
  /** The id of the message or of the request. */
  readonly key: string;
}

export interface StreamCursor {
  readonly base: number;
  readonly deletionsTold: number;
  readonly position: EventPosition;
}

const CURSOR = /^(\d{1,15})-(\d{1,15})-(\d{1,15})-(\d)-([\w-]{0,64})$/u;

/** Initial position. */
export function cursorAt(version: number): StreamCursor {
  return { base: version, deletionsTold: version, position: { revision: version, rank: 9, key: '' } };
}

export function writeCursor({ base, deletionsTold, position }: StreamCursor): string {
  if (position.revision === base && deletionsTold === base) return String(base);
  return `${base}-${deletionsTold}-${position.revision}-${position.rank}-${position.key}`;
}

/** Parses a cursor. Undefined if invalid. */
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

/** Comparator of positions for `Array.sort`. */
export function comparePositions(one: EventPosition, other: EventPosition): number {
  return (
    one.revision - other.revision ||
    one.rank - other.rank ||
    Number(one.key) - Number(other.key) ||
    (one.key < other.key ? -1 : Number(one.key > other.key))
  );
}

/** Printed type: one part of a told type, and how it is joined with others. Pure. */

export interface PrintedType {
  readonly text: string;
  /** How loosely its text binds. */
  readonly binds: 'tight' | 'intersection' | 'union';
  /** Clauses that are not in the text yet. */
  readonly notes: readonly string[];
}

/** Prints a part of a part. `name` is the key before it, on its own line. */
export type PrintPart = (schema: unknown, name?: string) => PrintedType;

/** Returns a part without notes. */
export function tight(text: string): PrintedType {
  return { text, binds: 'tight', notes: [] };
}

/** Returns the text of a part, with its notes behind it. */
export function withNotes({ text, notes, binds }: PrintedType): string {
  if (notes.length === 0) return text;
  return `${binds === 'tight' ? text : `(${text})`} /* ${notes.join('; ')} */`;
}

/** Returns the text of a part that is an element of another one. */
export function enclosed(part: PrintedType): string {
  return part.binds === 'tight' && part.notes.length === 0 ? part.text : `(${withNotes(part)})`;
}

/** Joins alternatives. The notes of the only one that has some become those of the whole. */
export function unionOf(parts: readonly PrintedType[]): PrintedType {
  const [first = tight('never'), ...more] = parts;
  if (more.length === 0) return first;
  const isOptional = parts.filter(({ text }) => text !== 'null').length === 1;
  const texts = parts.map((part) => (isOptional ? part.text : withNotes(part)));
  return {
    text: [...new Set(texts)].join(' | '),
    binds: 'union',
    notes: isOptional ? parts.flatMap(({ notes }) => notes) : [],
  };
}

/** Joins parts that all apply. */
export function intersectionOf(parts: readonly PrintedType[]): PrintedType {
  const [first = tight('unknown'), ...more] = parts;
  if (more.length === 0) return first;
  const texts = parts.map((part) => (part.binds === 'union' ? enclosed(part) : withNotes(part)));
  return { text: [...new Set(texts)].join(' & '), binds: 'intersection', notes: [] };
}

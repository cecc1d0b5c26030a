/** Positions of the parts of a JSON text, by JSON Pointer. Pure. */
import { unquote, walkJson } from '@truecast/core/internal/json/text/walk-json';
import { pointerKey } from './pointer-key.ts';

/** Position of a part, in UTF-16 units. */
export interface JsonSpan {
  /** Start of the part's key. A part without a key starts here itself. */
  readonly from: number;
  readonly start: number;
  /** Exclusive. */
  end: number;
}

interface Begun {
  readonly pointer: string;
  readonly position: JsonSpan;
  /** Index of its next item. */
  items: number;
}

/** Returns each key, item and the root, in the order of the text. Accepts JSON that `JSON.parse` accepts. */
export function jsonPositions(text: string): ReadonlyMap<string, JsonSpan> {
  const positions = new Map<string, JsonSpan>();
  /** The last value at each depth. */
  const begun: Begun[] = [];
  let key: { readonly name: string; readonly from: number } | undefined;
  walkJson(text, {
    key(token, _depth, _object, from) {
      key = { name: pointerKey(unquote(token)), from };
      return undefined;
    },
    value(token, depth, start) {
      const parent = begun[depth - 1];
      const pointer = parent === undefined ? '' : `${parent.pointer}/${key?.name ?? parent.items++}`;
      const position = { from: key?.from ?? start, start, end: start + token.length };
      key = undefined;
      begun[depth] = { pointer, position, items: 0 };
      positions.set(pointer, position);
      return undefined;
    },
    ended(end, depth) {
      const ended = begun[depth];
      if (ended !== undefined) ended.position.end = end;
    },
  });
  return positions;
}

/** Returns the line of each part, from 1. */
export function pointerLines(text: string): ReadonlyMap<string, number> {
  let line = 1;
  let counted = 0;
  const lines = new Map<string, number>();
  for (const [pointer, { from }] of jsonPositions(text)) {
    for (; counted < from; counted += 1) if (text[counted] === '\n') line += 1;
    lines.set(pointer, line);
  }
  return lines;
}

/** Returns the line of a pointer, or of the closest part above it. */
export function lineOf(lines: ReadonlyMap<string, number>, pointer: string): number {
  const line = lines.get(pointer);
  if (line !== undefined || pointer === '') return line ?? 1;
  return lineOf(lines, pointer.slice(0, Math.max(0, pointer.lastIndexOf('/'))));
}

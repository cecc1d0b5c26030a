/** Positions of the parts of a JSON text, by JSON Pointer. Pure. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gu;

/** Position of a part, in UTF-16 units. */
export interface JsonPosition {
  /** Start of its key, or of the part itself without a key. */
  readonly from: number;
  readonly start: number;
  /** Exclusive. */
  end: number;
}

interface Level {
  readonly position: JsonPosition;
  readonly pointer: string;
  /** Undefined in an object. */
  index: number | undefined;
  key: string | undefined;
  keyFrom: number | undefined;
}

/** Returns each key, item and the root, in the order of the text. Accepts JSON that `JSON.parse` accepts. */
export function jsonPositions(text: string): ReadonlyMap<string, JsonPosition> {
  const positions = new Map<string, JsonPosition>();
  const levels: Level[] = [];
  let expectsKey = false;
  for (const { 0: token, index: at } of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    const end = at + token.length;
    if (token === ':') expectsKey = false;
    else if (token === ',') {
      expectsKey = level?.index === undefined;
      if (level?.index !== undefined) level.index += 1;
    } else if (token === '}' || token === ']') {
      const closed = levels.pop();
      if (closed !== undefined) closed.position.end = end;
      expectsKey = false;
    } else if (expectsKey && level !== undefined) {
      level.key = escapeKey(token);
      level.keyFrom = at;
    } else {
      const pointer = level === undefined ? '' : `${level.pointer}/${level.key ?? String(level.index)}`;
      const position = { from: level?.keyFrom ?? at, start: at, end };
      positions.set(pointer, position);
      expectsKey = token === '{';
      const index = token === '[' ? 0 : undefined;
      if (token === '{' || token === '[')
        levels.push({ position, pointer, index, key: undefined, keyFrom: undefined });
    }
  }
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

function escapeKey(token: string): string {
  const key: unknown = JSON.parse(token);
  return String(key).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Returns the line of a pointer, or of the closest part above it. */
export function lineOf(lines: ReadonlyMap<string, number>, pointer: string): number {
  const line = lines.get(pointer);
  if (line !== undefined || pointer === '') return line ?? 1;
  return lineOf(lines, pointer.slice(0, Math.max(0, pointer.lastIndexOf('/'))));
}

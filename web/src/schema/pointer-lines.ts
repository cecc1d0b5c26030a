/** Lines of the parts of a JSON text, by JSON Pointer. Pure. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|\n|[^\s"{}[\],:]+/gu;

interface Level {
  readonly pointer: string;
  /** Undefined in an object. */
  index: number | undefined;
  key: string | undefined;
}

/** Returns the line of each key, item and the root, from 1. Accepts JSON that `JSON.parse` accepts. */
export function pointerLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>([['', 1]]);
  const levels: Level[] = [];
  let line = 1;
  let expectsKey = false;
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '\n') line += 1;
    else if (token === ':') expectsKey = false;
    else if (token === ',') {
      expectsKey = level?.index === undefined;
      if (level?.index !== undefined) level.index += 1;
    } else if (token === '}' || token === ']') {
      levels.pop();
      expectsKey = false;
    } else if (expectsKey && level !== undefined) {
      level.key = escapeKey(token);
      lines.set(`${level.pointer}/${level.key}`, line);
    } else {
      const pointer = level === undefined ? '' : `${level.pointer}/${level.key ?? String(level.index)}`;
      if (!lines.has(pointer)) lines.set(pointer, line);
      expectsKey = token === '{';
      if (token === '{') levels.push({ pointer, index: undefined, key: undefined });
      if (token === '[') levels.push({ pointer, index: 0, key: undefined });
    }
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
  return line ?? lineOf(lines, pointer.slice(0, Math.max(0, pointer.lastIndexOf('/'))));
}

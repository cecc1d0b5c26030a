/** Owns walking JSON text that is known to be well formed, where a parsed value no longer shows what stood there. Pure. */

/** Is told what stands in the text, in order. A problem that it returns ends the walk. */
export interface JsonVisitor {
  /** An array, object, string, number or literal begins; `depth` counts the containers around it. */
  value(start: number, depth: number): string | undefined;
  /** A key, in its quotes; `object` is the same for all keys of one object, and `depth` counts the containers around it. */
  key(token: string, depth: number, object: object): string | undefined;
  /** A string, in its quotes; keys too. */
  string(token: string): string | undefined;
  /** The value that began last at this depth has ended, before `end`. */
  ended(end: number, depth: number): void;
}

/** Where a problem is, as an offset into the text. */
export interface JsonProblem {
  readonly reason: string;
  readonly at: number;
}

/** Walks `text` once, without recursion; returns the first problem that the visitor has. */
export function walkJson(text: string, visitor: JsonVisitor): JsonProblem | undefined {
  /** The containers around the position; an object's own entry tells its keys apart. */
  const open: { readonly identity: object; isKeyNext: boolean; readonly isObject: boolean }[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const char = text.charAt(at);
    const around = open.at(-1);
    if (char === ',' || char === ':') {
      if (around !== undefined) around.isKeyNext = around.isObject && char === ',';
      at += 1;
    } else if (char === '}' || char === ']') {
      open.pop();
      at += 1;
      visitor.ended(at, open.length);
    } else if (char === '"' && around?.isKeyNext === true) {
      const end = endOfString(text, at);
      const token = text.slice(at, end);
      const reason = visitor.string(token) ?? visitor.key(token, open.length, around.identity);
      if (reason !== undefined) return { reason, at };
      at = end;
    } else {
      const reason = visitor.value(at, open.length);
      if (reason !== undefined) return { reason, at };
      if (char === '{' || char === '[') {
        open.push({ identity: {}, isObject: char === '{', isKeyNext: char === '{' });
        at += 1;
        continue;
      }
      const end = char === '"' ? endOfString(text, at) : endOfScalar(text, at);
      const wrong = char === '"' ? visitor.string(text.slice(at, end)) : undefined;
      if (wrong !== undefined) return { reason: wrong, at };
      at = end;
      visitor.ended(at, open.length);
    }
  }
  return undefined;
}

/** Returns the text that a string in its quotes stands for; the text around it was parsed as a whole before. */
export function unquote(token: string): string {
  return token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1);
}

const SPACE = /[ \t\n\r]*/uy;
const SCALAR = /[^ \t\n\r,\]}]*/uy;

function skipSpace(text: string, from: number): number {
  return endOf(SPACE, text, from);
}

function endOfScalar(text: string, from: number): number {
  return endOf(SCALAR, text, from);
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.test(text);
  return Math.max(from, pattern.lastIndex);
}

/** Returns the offset after the closing quote. */
function endOfString(text: string, openAt: number): number {
  let at = openAt + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

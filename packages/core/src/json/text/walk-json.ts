/** Walker of well-formed JSON text, for details that a parsed value does not contain. Pure. */

/** Receives the parts of the text in order. A problem that it returns ends the walk. */
export interface JsonVisitor {
  /**
   * A string with its quotes, a number, a literal, or the first character of a container. `depth` counts
   * the containers around it.
   */
  value?(token: string, depth: number, start: number): string | undefined;
  /** A key with its quotes. `object` is the same for all keys of one object. */
  key?(token: string, depth: number, object: object, start: number): string | undefined;
  /** Called at the end of the innermost open value. `end` is the offset after its last character. */
  ended?(end: number, depth: number): void;
}

/** A problem, and its offset in the text. */
export interface JsonProblem {
  readonly reason: string;
  readonly at: number;
}

/** Walks `text` once, without recursion. Returns the visitor's first problem. */
export function walkJson(text: string, visitor: JsonVisitor): JsonProblem | undefined {
  /** The open containers. An object's identity separates its keys from those of other objects. */
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
      visitor.ended?.(at, open.length);
    } else if (char === '"' && around?.isKeyNext === true) {
      const end = endOfString(text, at);
      const reason = visitor.key?.(text.slice(at, end), open.length, around.identity, at);
      if (reason !== undefined) return { reason, at };
      at = end;
    } else {
      const isContainer = char === '{' || char === '[';
      const end = isContainer ? at + 1 : char === '"' ? endOfString(text, at) : endOfScalar(text, at);
      const reason = visitor.value?.(text.slice(at, end), open.length, at);
      if (reason !== undefined) return { reason, at };
      at = end;
      if (isContainer) open.push({ identity: {}, isObject: char === '{', isKeyNext: char === '{' });
      else visitor.ended?.(at, open.length);
    }
  }
  return undefined;
}

/**
 * Returns the value of a string with its quotes. Text that was repaired can have escapes that JSON does
 * not have: they stay.
 */
export function unquote(token: string): string {
  const inside = token.slice(1, -1);
  if (!inside.includes('\\')) return inside;
  try {
    return String(JSON.parse(token));
  } catch {
    return inside;
  }
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

/** Returns the offset after the quote that closes a string, or the text's length. */
export function endOfString(text: string, openAt: number): number {
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

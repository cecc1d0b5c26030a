/** Incremental tag search in a stream, at the speed of a substring search. Pure. */

/** Receives the text between tags, and the tags, in order. */
export interface TagHandler {
  /** Receives plain text. `position` is the position of `text[from]` in the whole text. */
  text(text: string, from: number, to: number, position: number): void;
  /** Receives `<tag>`. `position` is the position of its `<`. */
  open(position: number): void;
  /** Receives `</tag>`. `position` is the position of its `<`. */
  close(position: number): void;
  /** False while a closing tag has no meaning, so that the search for it can be skipped. */
  readonly wantsClosings: boolean;
}

export interface TagFinder {
  push(chunk: string): void;
  /** Returns held text that turned out not to begin a tag. */
  end(): void;
}

/** Creates a finder of `<tag>` and `</tag>`. Each character is visited at most once per search. */
export function createTagFinder(tag: string, handler: TagHandler): TagFinder {
  const opening = `<${tag}>`;
  const closing = `</${tag}>`;
  let carry = '';
  /** Position of `carry` in the whole text. */
  let position = 0;

  function scan(text: string): number {
    let [at, openAt, closeHit] = [0, -1, -1];
    while (true) {
      // A hit ahead is kept, so that no text is searched twice.
      if (openAt < at) openAt = indexFrom(text, opening, at);
      if (handler.wantsClosings && closeHit < at) closeHit = indexFrom(text, closing, at);
      const closeAt = handler.wantsClosings ? closeHit : Number.POSITIVE_INFINITY;
      const nextAt = Math.min(openAt, closeAt);
      if (nextAt === Number.POSITIVE_INFINITY) return at;
      if (nextAt > at) handler.text(text, at, nextAt, position + at);
      if (openAt < closeAt) handler.open(position + openAt);
      else handler.close(position + closeAt);
      at = nextAt + (openAt < closeAt ? opening.length : closing.length);
    }
  }

  return {
    push(chunk) {
      const text = carry === '' ? chunk : carry + chunk;
      const at = scan(text);
      const heldAt = beginningOfTag(text, at, opening, closing);
      if (heldAt > at) handler.text(text, at, heldAt, position + at);
      carry = text.slice(heldAt);
      position += heldAt;
    },
    end() {
      if (carry !== '') handler.text(carry, 0, carry.length, position);
      position += carry.length;
      carry = '';
    },
  };
}

function indexFrom(text: string, needle: string, from: number): number {
  const found = text.indexOf(needle, from);
  return found === -1 ? Number.POSITIVE_INFINITY : found;
}

/**
 * Returns the position at the end of `text` where a tag can begin that the next piece completes.
 */
function beginningOfTag(text: string, from: number, opening: string, closing: string): number {
  const earliest = Math.max(from, text.length - closing.length + 1);
  for (let at = text.indexOf('<', earliest); at !== -1; at = text.indexOf('<', at + 1)) {
    const tail = text.slice(at);
    if (opening.startsWith(tail) || closing.startsWith(tail)) return at;
  }
  return text.length;
}

/** Text tail: keeps the end of a text of any length in bounded memory. Pure. */

/** Maximum text of a run in its result, in UTF-16 units. The rest is in the log. */
const MAX_RESULT_CHARS: number = 4 * 1024 * 1024;

/** Keeps the last `maxChars` of the pushed text. */
export interface TextTail {
  push(chunk: string): void;
  /** Length of all pushed text. */
  readonly totalChars: number;
  toString(): string;
}

/** Text of one block, in UTF-16 units. */
const BLOCK_CHARS = 64 * 1024;
/**
 * Longer chunks stay strings. They are rare, and copying them would cost more memory than it frees.
 */
const MAX_COPIED_CHARS: number = 1024 * 1024;
const BEYOND_LATIN_1 = /[^\0-\u00FF]/u;

/** Packed text: a long chunk, or bytes. */
type Block = Bytes | { readonly text: string; readonly chars: number };

interface Bytes {
  readonly bytes: Buffer;
  readonly encoding: 'latin1' | 'utf16le';
  readonly chars: number;
}

/**
 * Creates an empty tail. The cost of a push does not depend on earlier pushes.
 *
 * Text beyond one block is kept as bytes outside of the heap, in reused memory. As strings, the
 * chunks would become old garbage, which V8 lets grow to several times the size of the tail.
 */
export function createTextTail(maxChars: number = MAX_RESULT_CHARS): TextTail {
  const blocks: Block[] = [];
  const spare: Buffer[] = [];
  let pending: string[] = [];
  let pendingChars = 0;
  let packedChars = 0;
  let totalChars = 0;
  const add = (block: Block): void => {
    blocks.push(block);
    packedChars += block.chars;
    for (let first = blocks[0]; first && packedChars - first.chars >= maxChars; first = blocks[0]) {
      blocks.shift();
      packedChars -= first.chars;
      if ('bytes' in first && spare.length < 2) spare.push(first.bytes);
    }
  };
  const pack = (): void => {
    const text = pending.join('');
    pending = [];
    pendingChars = 0;
    for (let from = 0; from < text.length; from += BLOCK_CHARS) {
      add(toBytes(text.slice(from, from + BLOCK_CHARS), spare));
    }
  };
  return {
    get totalChars() {
      return totalChars;
    },
    push(chunk) {
      totalChars += chunk.length;
      if (chunk.length > MAX_COPIED_CHARS) {
        pack();
        add({ text: chunk, chars: chunk.length });
        return;
      }
      pending.push(chunk);
      pendingChars += chunk.length;
      if (pendingChars >= BLOCK_CHARS) pack();
    },
    toString: () => joined([...textsOf(blocks), ...pending]).slice(-maxChars),
  };
}

function toBytes(text: string, spare: Buffer[]): Bytes {
  const encoding = BEYOND_LATIN_1.test(text) ? 'utf16le' : 'latin1';
  const size = encoding === 'latin1' ? text.length : text.length * 2;
  const used = spare.findIndex(({ length }) => length >= size);
  const [bytes = Buffer.allocUnsafeSlow(size)] = used === -1 ? [] : spare.splice(used, 1);
  bytes.write(text, encoding);
  return { bytes, chars: text.length, encoding };
}

function textsOf(blocks: readonly Block[]): readonly string[] {
  const texts: string[] = [];
  let group: Bytes[] = [];
  const decode = (): void => {
    if (group.length > 0) texts.push(decoded(group));
    group = [];
  };
  for (const block of blocks) {
    if ('text' in block || group[0]?.encoding !== block.encoding) decode();
    if ('text' in block) texts.push(block.text);
    else group.push(block);
  }
  decode();
  return texts;
}

/**
 * Decodes blocks of one encoding together. One string for each block would need the memory of the
 * text twice, until V8 collects it.
 */
function decoded(group: readonly Bytes[]): string {
  const unit = group[0]?.encoding === 'utf16le' ? 2 : 1;
  const parts = group.map(({ bytes, chars }) => bytes.subarray(0, chars * unit));
  const all = Buffer.concat(parts);
  const text = all.toString(group[0]?.encoding);
  // Frees a large copy at once. A small one shares its memory with other buffers.
  if (all.byteLength === all.buffer.byteLength) all.buffer.transfer(0);
  return text;
}

/** A single part is not copied. */
function joined(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? '') : parts.join('');
}

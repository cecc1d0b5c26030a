/**
 * Owns keeping what was made of a text that comes again, the least recently used leaving first. Pure.
 *
 * What is made of a text for the first time is not kept: where each request brings its own, keeping them all would cost the garbage
 * collector as much again as making them.
 */

/** How much is kept. */
export interface TextCacheOptions {
  readonly maxEntries: number;
  /** The most characters of all texts together. */
  readonly maxChars: number;
}

/** Keeps values by the text they were made of, bounded in number and in text. */
export class TextCache<TValue> {
  private readonly options: TextCacheOptions;
  /** In the order of use: a `Map` keeps the order of insertion. */
  private readonly entries = new Map<string, TValue>();
  private chars = 0;
  /** Hashes of texts that came once. */
  private readonly seen = new Set<number>();

  constructor(options: TextCacheOptions) {
    this.options = options;
  }

  /** Returns what was made of `text`, or makes it; kept from the second time on. What throws is not kept. */
  getOrMake(text: string, make: () => TValue): TValue {
    const known = this.entries.get(text);
    if (known !== undefined) {
      this.entries.delete(text);
      this.entries.set(text, known);
      return known;
    }
    const made = make();
    if (this.isNew(text)) return made;
    this.entries.set(text, made);
    this.chars += text.length;
    this.dropOldest();
    return made;
  }

  private isNew(text: string): boolean {
    const hash = hashOf(text);
    if (this.seen.has(hash)) return false;
    if (this.seen.size >= MAX_SEEN) this.seen.clear();
    this.seen.add(hash);
    return true;
  }

  private dropOldest(): void {
    for (const text of this.entries.keys()) {
      if (this.entries.size <= this.options.maxEntries && this.chars <= this.options.maxChars) return;
      this.entries.delete(text);
      this.chars -= text.length;
    }
  }
}

/** Texts that are known to have come once: more than are kept, and a number each. */
const MAX_SEEN = 4_096;

/** FNV-1a over the text's units. Two texts with the same hash are merely kept at once. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  return hash;
}

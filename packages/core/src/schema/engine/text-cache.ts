/**
 * LRU cache keyed by text. Pure.
 *
 * A value is cached only when its text comes a second time. If each request has a different text,
 * caching them all would cost the garbage collector as much again as creating the values.
 */

export interface TextCacheOptions {
  readonly maxEntries: number;
  /** Maximum total of characters of all texts. */
  readonly maxChars: number;
}

/** Caches values by their source text, limited in number and in text size. */
export class TextCache<TValue> {
  readonly #options: TextCacheOptions;
  /** In the order of use: a `Map` keeps the order of insertion. */
  readonly #entries = new Map<string, TValue>();
  #chars = 0;
  /** Hashes of texts that came once. */
  readonly #seen = new Set<number>();

  constructor(options: TextCacheOptions) {
    this.#options = options;
  }

  /**
   * Returns the cached value of `text`, or creates it. Cached from the second call on. Exceptions
   * are not cached.
   */
  getOrMake(text: string, make: () => TValue): TValue {
    const known = this.#entries.get(text);
    if (known !== undefined) {
      this.#entries.delete(text);
      this.#entries.set(text, known);
      return known;
    }
    const made = make();
    if (this.#isNew(text)) return made;
    this.#entries.set(text, made);
    this.#chars += text.length;
    this.#dropOldest();
    return made;
  }

  #isNew(text: string): boolean {
    const hash = hashOf(text);
    if (this.#seen.has(hash)) return false;
    if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
    this.#seen.add(hash);
    return true;
  }

  #dropOldest(): void {
    for (const text of this.#entries.keys()) {
      if (this.#entries.size <= this.#options.maxEntries && this.#chars <= this.#options.maxChars) return;
      this.#entries.delete(text);
      this.#chars -= text.length;
    }
  }
}

/**
 * Maximum of texts remembered as seen once. Larger than the cache, because each is only a number.
 */
const MAX_SEEN = 4_096;

/** FNV-1a over the text's units. A collision only causes a text to be cached at its first call. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  return hash;
}

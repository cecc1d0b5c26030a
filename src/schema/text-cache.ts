/** Owns keeping what was made of a text, the least recently used leaving first. Pure. */

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

  constructor(options: TextCacheOptions) {
    this.options = options;
  }

  /** Returns what was made of `text`, or makes it; what throws is not kept. */
  getOrMake(text: string, make: () => TValue): TValue {
    const known = this.entries.get(text);
    if (known !== undefined) {
      this.entries.delete(text);
      this.entries.set(text, known);
      return known;
    }
    const made = make();
    this.entries.set(text, made);
    this.chars += text.length;
    this.dropOldest();
    return made;
  }

  private dropOldest(): void {
    for (const text of this.entries.keys()) {
      if (this.entries.size <= this.options.maxEntries && this.chars <= this.options.maxChars) return;
      this.entries.delete(text);
      this.chars -= text.length;
    }
  }
}

/** Parser state: the position in a pattern's source, and the groups so far. Pure. */

/** Reads a source from left to right. */
export class PatternReader {
  readonly source: string;
  readonly isUnicode: boolean;
  readonly groupNames: Map<string, number[]> = new Map<string, number[]>();
  /** Targets of the references, in source order. */
  readonly pendingReferences: (string | number)[] = [];
  groupCount = 0;
  #at = 0;

  constructor(source: string, isUnicode: boolean) {
    this.source = source;
    this.isUnicode = isUnicode;
  }

  isAtEnd(): boolean {
    return this.#at >= this.source.length;
  }

  sees(text: string): boolean {
    return this.source.startsWith(text, this.#at);
  }

  take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.#at += text.length;
    return true;
  }

  /**
   * Number of all groups. Used only without the `u` flag, where `\3` is a reference if there are
   * three of them.
   */
  #groupOpenings(): readonly string[] {
    const matches = this.source.matchAll(/\\.|\[(?:\\.|[^\\\]])*\]|\((?!\?)|\(\?<(?![=!])/gsu);
    return [...matches].map(([text]) => text).filter((text) => text.startsWith('('));
  }

  hasNamedGroups(): boolean {
    return this.#groupOpenings().includes('(?<');
  }

  takeCodePoint(): number {
    const codePoint = this.source.codePointAt(this.#at);
    if (codePoint === undefined) throw new SyntaxError('Unexpected end of the pattern');
    this.#at += codePoint > 0xff_ff ? 2 : 1;
    return codePoint;
  }

  /** Consumes the match of a sticky expression. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.source);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }

  /**
   * Consumes a group number. Without the `u` flag, a number beyond the groups is an octal escape or
   * a digit.
   */
  takeReferenceNumber(): number | undefined {
    const start = this.#at;
    const digits = this.takeMatch(/[1-9]\d*/y)?.[0];
    if (digits === undefined || this.isUnicode || Number(digits) <= this.#groupOpenings().length) {
      return digits === undefined ? undefined : Number(digits);
    }
    this.#at = start;
    return undefined;
  }

  /** Consumes a group name up to its `>`, with `\u` escapes decoded. */
  takeName(): string {
    const end = this.source.indexOf('>', this.#at);
    const written = this.source.slice(this.#at, end);
    this.#at = end + 1;
    return written.replaceAll(/\\u\{?([0-9a-fA-F]+)\}?/g, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    );
  }

  openGroup(groupName: string | undefined): number {
    this.groupCount += 1;
    if (groupName !== undefined) {
      const same = this.groupNames.get(groupName);
      if (same === undefined) this.groupNames.set(groupName, [this.groupCount]);
      else same.push(this.groupCount);
    }
    return this.groupCount;
  }
}

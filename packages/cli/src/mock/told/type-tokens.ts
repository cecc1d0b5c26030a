/** Tokens of a told type, as Truecast prints it. Pure. */

/** A sign, a word, a JSON value, or a comment. */
export interface TypeToken {
  readonly kind: 'sign' | 'word' | 'value' | 'note';
  readonly text: string;
  /** True for a comment that begins its line, so that it is about what follows. */
  readonly isFirst: boolean;
  /** True for a comment that ends with the line. */
  readonly isLine: boolean;
}

const TOKEN =
  /\/\/ (?<line>.*)|\/\* (?<block>.*?) \*\/|(?<value>"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)|(?<word>[\p{ID_Start}$_][\p{ID_Continue}$]*)|(?<sign>\.\.\.|\S)/gu;

/** Splits a text. What follows the type is split too, and never read. */
export function typeTokens(text: string): readonly TypeToken[] {
  const tokens: TypeToken[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const { line, block, value, word, sign } = match.groups ?? {};
    const kind =
      sign !== undefined ? 'sign' : word !== undefined ? 'word' : value !== undefined ? 'value' : 'note';
    tokens.push({
      kind,
      text: line ?? block ?? value ?? word ?? sign ?? '',
      isFirst: end === 0 || text.slice(end, match.index).includes('\n'),
      isLine: line !== undefined,
    });
    end = match.index + match[0].length;
  }
  return tokens;
}

/** Colours of a program's strings, numbers, keywords and comments. One rule for all languages of the samples. */
import type { ReactNode } from 'react';

const KEYWORDS =
  'import|from|const|let|await|async|return|function|def|for|in|of|if|else|new|export|as|class|interface|type|throw|try|catch|while|switch|case|True|False|None|true|false|null';
/** A quote inside of a word, as in a comment, begins no string. */
const TOKENS = new RegExp(
  String.raw`(?<comment>(?<![:\w])\/\/[^\n]*|^#[^\n]*)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?<number>\b\d+(?:\.\d+)?\b)|(?<keyword>\b(?:${KEYWORDS})\b)`,
  'gmu',
);
const LOOKS = { comment: 'text-muted', string: 'text-str', number: 'text-num', keyword: 'text-kw' } as const;

/** A part of a text in one colour. `end` is exclusive. */
export interface CodeToken {
  readonly start: number;
  readonly end: number;
  readonly look: string;
}

export function codeTokens(text: string): readonly CodeToken[] {
  return [...text.matchAll(TOKENS)].map(({ index, groups = {}, 0: token }) => {
    const kind = (['comment', 'string', 'number', 'keyword'] as const).find(
      (name) => groups[name] !== undefined,
    );
    return { start: index, end: index + token.length, look: kind === undefined ? '' : LOOKS[kind] };
  });
}

/** Renders the text, the same characters in the same order. */
export function ColouredCode({ text }: { readonly text: string }): ReactNode {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const { start, end, look } of codeTokens(text)) {
    pieces.push(
      text.slice(at, start),
      <span key={start} className={look}>
        {text.slice(start, end)}
      </span>,
    );
    at = end;
  }
  return [...pieces, text.slice(at)];
}

/** Colours of a program's strings, numbers, keywords and comments. One rule for all languages of the samples. */
import type { ReactNode } from 'react';

const KEYWORDS =
  'import|from|const|let|await|async|return|function|def|for|in|of|if|else|new|export|as|True|False|None|true|false|null';
/** A quote inside of a word, as in a comment, begins no string. */
const TOKENS = new RegExp(
  String.raw`(?<comment>(?<![:\w])\/\/[^\n]*|^#[^\n]*)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?<number>\b\d+(?:\.\d+)?\b)|(?<keyword>\b(?:${KEYWORDS})\b)`,
  'gmu',
);
const LOOKS = { comment: 'text-muted', string: 'text-str', number: 'text-num', keyword: 'text-kw' } as const;

/** Renders the text, the same characters in the same order. */
export function ColouredCode({ text }: { readonly text: string }): ReactNode {
  const pieces: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const { index, groups = {}, 0: token } = match;
    const kind = (['comment', 'string', 'number', 'keyword'] as const).find(
      (name) => groups[name] !== undefined,
    );
    pieces.push(
      text.slice(end, index),
      <span key={index} className={kind && LOOKS[kind]}>
        {token}
      </span>,
    );
    end = index + token.length;
  }
  return [...pieces, text.slice(end)];
}

/** Pieces of a JSON text by their kind, for its colours. A text that is not complete has them too. Pure. */

export type JsonKind = 'key' | 'string' | 'value' | 'sign';

/** Class of each kind. */
export const JSON_LOOKS: Readonly<Record<JsonKind, string>> = {
  key: 'text-accent-ink',
  string: 'text-str',
  value: 'text-kw',
  sign: 'text-muted',
};

export interface JsonPiece {
  readonly kind: JsonKind;
  readonly text: string;
}

const PIECE =
  /(?<string>"(?:[^"\\\n]|\\.)*"?)|(?<value>-?\d[\d.eE+-]*|\b(?:true|false|null)\b)|[^"\d-]+?(?="|-?\d|\b(?:true|false|null)\b|$)|[\s\S]/gu;

/** Returns the pieces. Together they are the whole text. */
export function jsonPieces(text: string): readonly JsonPiece[] {
  const pieces: JsonPiece[] = [];
  for (const { 0: piece, index, groups } of text.matchAll(PIECE)) {
    const kind = kindOf(groups ?? {}, text, index + piece.length);
    const last = pieces.at(-1);
    if (kind === 'sign' && last?.kind === 'sign') {
      pieces[pieces.length - 1] = { kind, text: last.text + piece };
    } else pieces.push({ kind, text: piece });
  }
  return pieces;
}

function kindOf(
  { string, value }: Readonly<Record<string, string | undefined>>,
  text: string,
  end: number,
): JsonKind {
  if (string !== undefined) return isKey(text, end) ? 'key' : 'string';
  return value === undefined ? 'sign' : 'value';
}

/** A colon follows a key. */
function isKey(text: string, from: number): boolean {
  let at = from;
  while (/\s/u.test(text.charAt(at)) && at < text.length) at += 1;
  return text[at] === ':';
}

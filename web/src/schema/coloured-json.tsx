/** Layer under the schema editor: the same text, with colours. */
import { memo, type ReactNode } from 'react';
import { jsonPieces, type JsonKind } from './json-colours.ts';

const LOOKS: Readonly<Record<JsonKind, string>> = {
  key: 'text-accent',
  string: 'text-blue',
  value: 'text-pink',
  sign: 'text-muted',
};
/** A longer text has no colours, so that typing stays fast. */
const MAX_CHARS = 50_000;

/** Renders the text. Readers of the page hear the field above it. */
export const ColouredJson = memo(function ColouredJson({ text }: { readonly text: string }): ReactNode {
  if (text.length > MAX_CHARS) return text;
  return jsonPieces(text).map(({ kind, text: piece }, index) => (
    // Pieces have no identity beside their place.
    <span key={index} className={LOOKS[kind]}>
      {piece}
    </span>
  ));
});

/** Placeholders of a text: `{{ KEY }}`. Pure. Values that are inserted later are never searched for them. */

export type PlaceholderPart = LiteralPart | ArgumentPart;

interface LiteralPart {
  readonly type: 'text';
  readonly text: string;
}

/** A `{{ KEY }}` placeholder. */
interface ArgumentPart {
  readonly type: 'argument';
  readonly key: string;
}

/** Returns the parts of a text, in order. */
export function parsePlaceholders(text: string): readonly PlaceholderPart[] {
  const parts: PlaceholderPart[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{\{[ \t]*([A-Za-z0-9_]+)[ \t]*\}\}/gu)) {
    if (match.index > end) parts.push({ type: 'text', text: text.slice(end, match.index) });
    parts.push({ type: 'argument', key: match[1] ?? '' });
    end = match.index + match[0].length;
  }
  return end < text.length ? [...parts, { type: 'text', text: text.slice(end) }] : parts;
}

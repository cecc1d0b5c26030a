/** Owns which text is the match for a text answer: the latest opening that has a closing after it, up to the first closing after it. Pure. */
import type { Span, TagScanner } from './tag-matches.ts';

/** Makes a scanner for text between tags; content of more than `maxChars` UTF-16 units is not kept. */
export function createTextTagScanner(tag: string, maxChars: number): TagScanner {
  const openingChars = tag.length + 2;
  let openStart: number | undefined;
  let lead = '';
  let content = '';
  let isTooLarge = false;
  let draft = 0;
  let match: { readonly raw: string | undefined; readonly span: Span } | undefined;
  return {
    get wantsClosings() {
      return openStart !== undefined;
    },
    text(text, from, to) {
      if (openStart === undefined || isTooLarge) return;
      isTooLarge = lead.length + content.length + to - from > maxChars;
      const piece = isTooLarge ? '' : text.slice(from, to);
      if (isTooLarge) content = '';
      else if (content !== '') content += piece;
      else {
        // Only the preview is trimmed here, once: trimming the whole at every piece would be quadratic.
        content = piece.trimStart();
        lead += piece.slice(0, piece.length - content.length);
      }
    },
    open(position) {
      openStart = position + openingChars;
      lead = '';
      content = '';
      isTooLarge = false;
      draft += 1;
    },
    close(position) {
      if (openStart === undefined) return;
      match = { raw: isTooLarge ? undefined : lead + content, span: { start: openStart, end: position } };
      openStart = undefined;
    },
    finish: () =>
      match === undefined
        ? { type: 'none' }
        : { type: 'match', ...match, isUnclosedAfter: openStart !== undefined },
    partial: () => ({ value: draft === 0 || isTooLarge ? undefined : content, draft }),
  };
}

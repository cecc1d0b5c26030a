/** Filter that removes leading reasoning from a preview, piece by piece. Pure. */

const OPENING = '<think>';
const CLOSING = '</think>';

/**
 * Creates the filter. It returns the pieces of the answer: everything, if the text does not begin
 * with reasoning.
 */
export function createReasoningFilter(): (piece: string) => string {
  let state: 'start' | 'reasoning' | 'answer' = 'start';
  let held = '';
  return (piece) => {
    if (state === 'answer') return piece;
    held += piece;
    if (state === 'start') {
      const begun = held.trimStart();
      if (begun.length < OPENING.length && OPENING.startsWith(begun)) return '';
      state = begun.startsWith(OPENING) ? 'reasoning' : 'answer';
      if (state === 'answer') return held;
    }
    const closing = held.indexOf(CLOSING);
    if (closing !== -1) {
      state = 'answer';
      return held.slice(closing + CLOSING.length);
    }
    // Only a possible start of the closing mark must be kept.
    held = held.slice(-CLOSING.length);
    return '';
  };
}

/** Owns leaving the reasoning before an answer out of its preview, piece by piece. Pure. */

const OPENING = '<think>';
const CLOSING = '</think>';

/** Makes a filter of pieces: what it returns belongs to the answer. Where the text does not begin with reasoning, all of it does. */
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
    // What may be the beginning of the closing mark is all that is needed of it.
    held = held.slice(-CLOSING.length);
    return '';
  };
}

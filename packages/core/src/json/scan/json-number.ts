/** JSON number grammar, one character at a time (RFC 8259, section 6). Pure. */

/** The state after the last character. */
export type NumberState =
  | 'minus'
  | 'zero'
  | 'digits'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponent-sign'
  | 'exponent-digits';

const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const LOWER_E = 0x65;

/** Returns the state after a number's first character, or undefined if no number begins with it. */
export function firstNumberState(code: number): NumberState | undefined {
  return code === MINUS ? 'minus' : stateAfterDigit('minus', code);
}

export function mayNumberEnd(state: NumberState): boolean {
  return state === 'digits' || state === 'zero' || state === 'fraction' || state === 'exponent-digits';
}

/** Returns the state after the character `code`, or undefined if it is not part of the number. */
export function nextNumberState(state: NumberState, code: number): NumberState | undefined {
  if (code === POINT) return state === 'digits' || state === 'zero' ? 'point' : undefined;
  if (code === LOWER_E || code === UPPER_E) {
    return mayNumberEnd(state) && state !== 'exponent-digits' ? 'exponent' : undefined;
  }
  if (code === PLUS || code === MINUS) return state === 'exponent' ? 'exponent-sign' : undefined;
  return stateAfterDigit(state, code);
}

/** Returns undefined for a character other than a digit, too. */
function stateAfterDigit(state: NumberState, code: number): NumberState | undefined {
  if (code < ZERO || code > NINE || state === 'zero') return undefined;
  if (state === 'minus') return code === ZERO ? 'zero' : 'digits';
  if (state === 'point') return 'fraction';
  return state === 'exponent' || state === 'exponent-sign' ? 'exponent-digits' : state;
}

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
  if (code === MINUS) return 'minus';
  return code === ZERO ? 'zero' : isDigit(code) ? 'digits' : undefined;
}

/** Returns true if a number can end here. */
export function mayNumberEnd(state: NumberState): boolean {
  return state === 'digits' || state === 'zero' || state === 'fraction' || state === 'exponent-digits';
}

/** Returns the state after the character `code`, or undefined if it is not part of the number. */
export function nextNumberState(state: NumberState, code: number): NumberState | undefined {
  switch (state) {
    case 'minus':
      return firstNumberState(code === MINUS ? 0 : code);
    case 'zero':
      return code === POINT ? 'point' : exponentAt(code);
    case 'digits':
      return isDigit(code) ? 'digits' : code === POINT ? 'point' : exponentAt(code);
    case 'point':
      return isDigit(code) ? 'fraction' : undefined;
    case 'fraction':
      return isDigit(code) ? 'fraction' : exponentAt(code);
    case 'exponent':
      return isDigit(code)
        ? 'exponent-digits'
        : code === PLUS || code === MINUS
          ? 'exponent-sign'
          : undefined;
    case 'exponent-sign':
    case 'exponent-digits':
      return isDigit(code) ? 'exponent-digits' : undefined;
    default:
      return state satisfies never;
  }
}

function exponentAt(code: number): NumberState | undefined {
  return code === LOWER_E || code === UPPER_E ? 'exponent' : undefined;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

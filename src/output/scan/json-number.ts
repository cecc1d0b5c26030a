/** Owns the grammar of a JSON number, one character at a time (RFC 8259, section 6). Pure. */

/** What was read last. */
export type NumberState =
  | 'minus'
  | 'zero'
  | 'digits'
  | 'point'
  | 'fraction'
  | 'exponent'
  | 'exponent-sign'
  | 'exponent-digits';

/** Tells whether a number may end here. */
export function mayNumberEnd(state: NumberState): boolean {
  return state === 'digits' || state === 'zero' || state === 'fraction' || state === 'exponent-digits';
}

/** Returns the state after `char`, or undefined when it is not part of the number. */
export function nextNumberState(state: NumberState, char: string): NumberState | undefined {
  const isDigit = char >= '0' && char <= '9';
  const exponent = char === 'e' || char === 'E' ? 'exponent' : undefined;
  switch (state) {
    case 'minus':
      return char === '0' ? 'zero' : isDigit ? 'digits' : undefined;
    case 'zero':
      return char === '.' ? 'point' : exponent;
    case 'digits':
      return isDigit ? 'digits' : char === '.' ? 'point' : exponent;
    case 'point':
      return isDigit ? 'fraction' : undefined;
    case 'fraction':
      return isDigit ? 'fraction' : exponent;
    case 'exponent':
      return isDigit ? 'exponent-digits' : char === '+' || char === '-' ? 'exponent-sign' : undefined;
    case 'exponent-sign':
    case 'exponent-digits':
      return isDigit ? 'exponent-digits' : undefined;
    default:
      return state satisfies never;
  }
}

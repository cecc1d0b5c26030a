/** Decimal form of a number literal: significant digits and exponent, the same for all spellings of one number. Pure. */

/** Returns the decimal form; `0` for every zero. */
export function decimalOf(literal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/u.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/u, '');
  const significant = digits.replace(/0+$/u, '');
  if (significant === '') return '0';
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${scale}`;
}

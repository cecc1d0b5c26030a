/** Owns exact division of the decimal numbers that JSON writes. Pure. */
import type { WorkMeter } from '../pattern/work-meter.ts';

/** What dividing as big integers costs at most, in units of work: numbers have at most some 600 digits. */
const EXACT_UNITS = 80;

/**
 * Tells whether `value` is a whole number of times `divisor`, both read as the decimals they are written as.
 *
 * Binary division would say that 0.3 is not a multiple of 0.1, and that 1e308 is none of 0.5.
 */
export function isMultipleOf(value: number, divisor: number, meter: WorkMeter): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  meter.spend(EXACT_UNITS);
  const left = toDecimal(value);
  const right = toDecimal(divisor);
  const exponent = Math.min(left.exponent, right.exponent);
  return scale(left, exponent) % scale(right, exponent) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function toDecimal(number: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(number).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function scale({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}

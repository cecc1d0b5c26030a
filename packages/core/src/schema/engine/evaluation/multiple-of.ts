/** Exact division of JSON decimals. Pure. */
import type { WorkMeter } from '../../work/work-budget.ts';

/** Maximum cost of a bigint division in units of work: numbers have at most about 600 digits. */
const EXACT_UNITS = 80;

/**
 * Returns true if `value` is an integer multiple of `divisor`, both taken as written decimals.
 *
 * Binary division would reject 0.3 as a multiple of 0.1, and 1e308 as one of 0.5.
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

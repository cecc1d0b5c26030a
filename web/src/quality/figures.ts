/** Shares of answers in words: small samples are "few". Pure. */
import { count } from '../parts/format.ts';

/** Below this number, a share is not meaningful. */
export const FEW = 20;

/** `94.5 %`, rounded down, or `few`. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return '–';
  return whole < FEW ? 'few' : percent(part, whole);
}

/** `94.5 %`, rounded down, so that 100 % means every answer. */
export function percent(part: number, whole: number): string {
  return `${(Math.floor((part * 1_000) / whole) / 10).toFixed(1)} %`;
}

/** `3 of 7`. */
export function partText(part: number, whole: number): string {
  return `${count(part)} of ${count(whole)}`;
}

/** Shares of answers in words: small samples are "few". Pure. */
import type { QualityDeviations } from '@truecast/client/internal/wire/quality';
import { countText } from '../parts/format.ts';

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

/** `4 re-asked · 8 repaired`. Counts of zero are left out. */
export function deviationsText({ re_asked: reAsked, repaired, coerced, raw }: QualityDeviations): string {
  const parts = [
    [reAsked, 're-asked'],
    [repaired, 'repaired'],
    [coerced, 'coerced'],
    [raw, 'raw text'],
  ] as const;
  const shown = parts.flatMap(([number, word]) => (number === 0 ? [] : [`${countText(number)} ${word}`]));
  return shown.length === 0 ? 'none' : shown.join(' · ');
}

/** `3 of 7`. */
export function partText(part: number, whole: number): string {
  return `${countText(part)} of ${countText(whole)}`;
}

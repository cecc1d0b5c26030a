/** Sanitizer for model values: removes prototype keys and excessive depth, and shows values in violations. Pure. */
import { describeValue, MAX_SHOWN_CHARS } from '../kit/describe-value.ts';
import { PROTOTYPE_KEYS } from './event-options.ts';
import type { EventViolationCode } from './event-result.ts';

/** Maximum depth of a field: far more than an event needs, far less than a stack allows. */
const MAX_DEPTH = 64;

/** Records a problem at the path of a field. */
export type ReportFault = (code: EventViolationCode, path: readonly string[], got: unknown) => void;

/**
 * Returns the value at a path without unsafe parts, which are reported. Returns `undefined` if
 * nothing remains.
 */
export function fitValue(value: unknown, path: readonly string[], report: ReportFault): unknown {
  if (PROTOTYPE_KEYS.has(path.at(-1) ?? '')) {
    report('reserved-field', path, value);
    return undefined;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    report('wrong-type', path, value);
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (path.length > MAX_DEPTH) {
    report('too-deep', path, value);
    return undefined;
  }
  const fitted = Object.entries(value).flatMap(([key, inner]): (readonly [string, unknown])[] => {
    const kept = fitValue(inner, [...path, key], report);
    return kept === undefined ? [] : [[key, kept]];
  });
  return Array.isArray(value) ? fitted.map(([, item]) => item) : Object.fromEntries(fitted);
}

/** Renders a scalar, or only the type of an object or array: bounded work for any size or depth. */
export function showGot(value: unknown): string {
  if (typeof value === 'string') return describeValue(value.slice(0, MAX_SHOWN_CHARS));
  if (Array.isArray(value)) return `\`[${value.length === 0 ? '' : '…'}]\` (array)`;
  return typeof value === 'object' && value !== null ? '`{…}` (object)' : describeValue(value);
}

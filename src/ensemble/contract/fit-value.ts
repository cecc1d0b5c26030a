/** Owns making a value from a model safe to keep: no key that reaches a prototype, no depth that overflows a stack. Pure. */
import { PROTOTYPE_KEYS } from './event-options.ts';
import type { EventViolationCode } from './event-result.ts';

/** How deep a field may be nested: far deeper than any event, far from the end of any stack. */
const MAX_DEPTH = 64;

/** Takes note of what was wrong, at the path of a field. */
export type ReportFault = (code: EventViolationCode, path: readonly string[], got: unknown) => void;

/** Returns the value at a path without what is unfit, which is reported; `undefined` when nothing is left of it. */
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

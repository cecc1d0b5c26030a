/** Bounds: the lower and the upper one of schemas that must all match, and whether a value lies between. Pure. */
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';
import type { WorkMeter } from '../../work/work-budget.ts';

/** Why no value fits a part, as its own keywords show it. */
export interface DeadEnd {
  /** The reason, as a clause. */
  readonly why: string;
  /** The remedy, as a sentence. */
  readonly cure: string;
  /** Path from the part to the cause. @default [] */
  readonly at?: SchemaPath;
  /** The part inside it that is the cause. */
  readonly inner?: unknown;
}

/** Why no value fits a schema, at its deepest cause. */
export interface ImpossiblePart {
  readonly path: SchemaPath;
  readonly why: string;
  readonly cure: string;
}

/** Questions of a part about the parts around and inside it. */
export interface PartsPort extends WorkMeter {
  /** Returns true if it is known that no value fits. */
  isImpossible(schema: unknown): boolean;
  /** Returns the target of a reference. Undefined if it is not followed. */
  resolve(reference: unknown): unknown;
  /** True up to draft 07, if the schema declares it: keywords beside a `$ref` do not count. */
  readonly ignoresRefSiblings: boolean;
}

/** A part that has no value itself. */
export const NO_VALUE: DeadEnd = {
  why: 'it excludes every value',
  cure: 'Remove it, or make it optional.',
};

/** A bound, and the keyword that states it. */
interface Bound {
  readonly keyword: string;
  readonly value: number;
}

/** Beyond it, integers have no exact neighbours. */
const isExact = (value: number): boolean => Math.abs(value) <= Number.MAX_SAFE_INTEGER;

/** Returns the largest of the lower bounds. */
export function lowest(parts: readonly SchemaObject[], keywords: readonly string[]): Bound | undefined {
  return strictest(parts, keywords, (value, best) => value > best);
}

/** Returns the smallest of the upper bounds. */
export function highest(parts: readonly SchemaObject[], keywords: readonly string[]): Bound | undefined {
  return strictest(parts, keywords, (value, best) => value < best);
}

/** The later of two equal bounds counts, which excludes the bound itself. */
function strictest(
  parts: readonly SchemaObject[],
  keywords: readonly string[],
  isStricter: (value: number, best: number) => boolean,
): Bound | undefined {
  let best: Bound | undefined;
  for (const keyword of keywords) {
    for (const part of parts) {
      const value = part[keyword];
      if (typeof value !== 'number' || !Number.isFinite(value)) continue;
      if (best === undefined || value === best.value || isStricter(value, best.value)) {
        best = { keyword, value };
      }
    }
  }
  return best;
}

/** Compares two bounds of a length or a count. */
export function crossed(parts: readonly SchemaObject[], least: string, most: string): DeadEnd | undefined {
  const low = lowest(parts, [least]);
  const high = highest(parts, [most]);
  return low !== undefined && high !== undefined && low.value > high.value ? crossing(low, high) : undefined;
}

/** Returns why no number of a kind lies between the bounds. */
export function crossedNumbers(parts: readonly SchemaObject[], kind: string): DeadEnd | undefined {
  const low = lowest(parts, ['minimum', 'exclusiveMinimum']);
  const high = highest(parts, ['maximum', 'exclusiveMaximum']);
  if (low === undefined || high === undefined) return undefined;
  const excludes = low.keyword === 'exclusiveMinimum' || high.keyword === 'exclusiveMaximum';
  if (low.value > high.value || (low.value === high.value && excludes)) return crossing(low, high);
  if (!isExact(low.value) || !isExact(high.value)) return undefined;
  const step = parts.map(({ multipleOf }) => multipleOf).find(isWholeStep);
  if (kind === 'fraction' && step === undefined) return undefined;
  return hasMultiple(low, high, step ?? 1)
    ? undefined
    : {
        why: `no ${step === undefined ? 'whole number' : `multiple of ${step}`} lies between its \`${low.keyword}\` ${low.value} and its \`${high.keyword}\` ${high.value}`,
        cure: 'Correct them.',
      };
}

function isWholeStep(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function hasMultiple(low: Bound, high: Bound, step: number): boolean {
  const excluded = low.keyword === 'exclusiveMinimum' && low.value % step === 0;
  const first = (Math.ceil(low.value / step) + (excluded ? 1 : 0)) * step;
  return high.keyword === 'exclusiveMaximum' ? first < high.value : first <= high.value;
}

function crossing(low: Bound, high: Bound): DeadEnd {
  return {
    why: `its \`${low.keyword}\` ${low.value} leaves nothing below its \`${high.keyword}\` ${high.value}`,
    cure: 'Correct one of them.',
  };
}

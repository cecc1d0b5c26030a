/** Selects the best event among found objects, with at most one level of wrapper. Pure. */
import { isWellKnownField } from './event-fields.ts';
import type { EventRepairKind } from './event-result.ts';
import { ENOUGH, judgeObject, type EventRules, type JudgedObject } from './judge-object.ts';
import { parseWhole } from './whole-text.ts';

/** An object that can be an event, and the repairs that its parsing needed. */
export interface EventCandidate {
  readonly value: Readonly<Record<string, unknown>>;
  readonly repairs: readonly EventRepairKind[];
}

/** Evaluates an object, and its contents if one of them is better. The object wins ties. */
export function judgeFound({ value, repairs }: EventCandidate, rules: EventRules): JudgedObject {
  const outer = judgeObject(value, rules, repairs);
  if (outer.isUsable && outer.score >= ENOUGH) return outer;
  const inner = bestOf(
    openWrapper(value, repairs).map((found) => judgeObject(found.value, rules, found.repairs)),
  );
  return inner !== undefined && inner.isUsable && inner.score > outer.score ? inner : outer;
}

/** Returns the best event, and the last of equals: models draft, then correct themselves. */
export function bestOf(judged: readonly JudgedObject[]): JudgedObject | undefined {
  let best: JudgedObject | undefined;
  for (const each of judged) if (best === undefined || isBetterOrEqual(each, best)) best = each;
  return best;
}

function isBetterOrEqual(one: JudgedObject, other: JudgedObject): boolean {
  return one.isUsable === other.isUsable ? one.score >= other.score : one.isUsable;
}

/** Direct child objects: as a value, in an array, or as JSON in a string. */
function openWrapper(value: EventCandidate['value'], repairs: readonly EventRepairKind[]): EventCandidate[] {
  return Object.entries(value)
    .filter(([key]) => !isWellKnownField(key))
    .flatMap(([, inner]): unknown[] => (Array.isArray(inner) ? inner : [inner]))
    .flatMap((inner): EventCandidate[] => {
      const parsed =
        typeof inner === 'string' && inner.trimStart().startsWith('{') ? parseWhole(inner) : inner;
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return [];
      const opened: EventRepairKind[] = ['opened-wrapper'];
      if (parsed !== inner) opened.push('parsed-string');
      return [{ value: { ...parsed }, repairs: [...repairs, ...opened] }];
    });
}

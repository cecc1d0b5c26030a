/** Owns judging what was found in a text: each object, or what one level of wrapper around the event holds. Pure. */
import { isWellKnownField } from './event-fields.ts';
import type { EventRepairKind } from './event-result.ts';
import { ENOUGH, judgeObject, type EventRules, type JudgedObject } from './judge-object.ts';
import type { FoundObject } from './read-object.ts';
import { parseWhole } from './whole-text.ts';

/** Judges an object, and opens it when something inside is better; the object itself wins ties. */
export function judgeFound({ value, repairs }: FoundObject, rules: EventRules): JudgedObject {
  const outer = judgeObject(value, rules, repairs);
  if (outer.isUsable && outer.score >= ENOUGH) return outer;
  const inner = bestOf(
    openWrapper(value, repairs).map((found) => judgeObject(found.value, rules, found.repairs)),
  );
  return inner !== undefined && inner.isUsable && inner.score > outer.score ? inner : outer;
}

/** Returns the best, and of equals the last: models draft, and then correct themselves. */
export function bestOf(judged: readonly JudgedObject[]): JudgedObject | undefined {
  let best: JudgedObject | undefined;
  for (const each of judged) if (best === undefined || isBetterOrEqual(each, best)) best = each;
  return best;
}

function isBetterOrEqual(one: JudgedObject, other: JudgedObject): boolean {
  return one.isUsable === other.isUsable ? one.score >= other.score : one.isUsable;
}

/** The objects that stand directly in an object: as a value, in an array, or as the JSON in a string. */
function openWrapper(value: FoundObject['value'], repairs: readonly EventRepairKind[]): FoundObject[] {
  return Object.entries(value)
    .filter(([key]) => !isWellKnownField(key))
    .flatMap(([, inner]): unknown[] => (Array.isArray(inner) ? inner : [inner]))
    .flatMap((inner): FoundObject[] => {
      const parsed =
        typeof inner === 'string' && inner.trimStart().startsWith('{') ? parseWhole(inner) : inner;
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return [];
      const opened: EventRepairKind[] = ['opened-wrapper'];
      if (parsed !== inner) opened.push('parsed-string');
      return [{ value: { ...parsed }, repairs: [...repairs, ...opened] }];
    });
}

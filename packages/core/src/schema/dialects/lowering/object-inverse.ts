/** Object inverses: convert lowered objects and lists of entries back. Pure. */
import type { WorkBudget } from '../../work/work-budget.ts';
import type { InversePart } from './lowering-port.ts';
import { isRecord } from '../../../kit/is-record.ts';

/** Converts each named property back, and removes a `null` that represents an absent one. */
export function eachProperty(
  inverses: ReadonlyMap<string, InversePart>,
  absentAsNull: ReadonlySet<string>,
): InversePart {
  if (inverses.size === 0 && absentAsNull.size === 0) return undefined;
  return (value, work) => {
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name, member]) => member !== null || !absentAsNull.has(name))
        .map(([name, member]) => [name, applied(inverses.get(name), member, work)]),
    );
  };
}

/** Converts each property with another name back. */
export function eachOther(known: ReadonlySet<string>, inverse: InversePart): InversePart {
  if (inverse === undefined) return undefined;
  return (value, work) =>
    isRecord(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, member]) => [
            name,
            known.has(name) ? member : inverse(member, work),
          ]),
        )
      : value;
}

/** Applies one inverse after another. */
export function both(first: InversePart, second: InversePart): InversePart {
  if (first === undefined || second === undefined) return first ?? second;
  return (value, work) => second(first(value, work), work);
}

/** If two entries have the same key, the later one counts, as in JSON text. */
export function toMap(list: unknown, inverse: InversePart, work: WorkBudget): unknown {
  if (!Array.isArray(list)) return list;
  const entries = list.filter(isRecord).filter(({ key }) => typeof key === 'string');
  if (entries.length < list.length) return list;
  return Object.fromEntries(entries.map(({ key, value }) => [String(key), applied(inverse, value, work)]));
}

/** Applies an inverse, if there is one. */
export function applied(inverse: InversePart, value: unknown, work: WorkBudget): unknown {
  return inverse === undefined ? value : inverse(value, work);
}

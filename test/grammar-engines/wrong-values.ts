/** Wrong values: one change of a right answer each, at every place and of every kind. Pure. */
import { isRecord } from '../../packages/core/src/kit/is-record.ts';

/** Places that are changed in one answer. */
const MAX_PLACES = 4;

/** Returns copies of an answer with one change each. A validator decides which of them are wrong. */
export function changedValues(answer: unknown): readonly unknown[] {
  return placesIn(answer, [])
    .slice(0, MAX_PLACES)
    .flatMap((path) => changesOf(valueAt(answer, path)).map((change) => withChange(answer, path, change)));
}

type Path = readonly string[];

function placesIn(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, each]) => placesIn(each, [...path, key]));
  return [path, ...inner];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

function changesOf(value: unknown): readonly unknown[] {
  if (typeof value === 'string') {
    return ['', `${value}\u{1f4a1} `, value.repeat(500).slice(0, 2_500), 17.5, null];
  }
  if (typeof value === 'number') return [value - 1e9, value + 1e9, value + 0.5, String(value), null];
  if (typeof value === 'boolean') return ['true', 1];
  if (Array.isArray(value)) return [[], [...(value as unknown[]), ...(value as unknown[]), {}], {}, 'list'];
  if (!isRecord(value)) return [{}, 'nothing'];
  const without = Object.keys(value).map((key) =>
    Object.fromEntries(Object.entries(value).filter(([each]) => each !== key)),
  );
  return [...without, { ...value, 'unheard of': 1 }, [], 'object'];
}

function withChange(value: unknown, path: Path, change: unknown): unknown {
  if (path.length === 0) return change;
  const copy: unknown = structuredClone(value);
  const holder = valueAt(copy, path.slice(0, -1));
  if (typeof holder === 'object' && holder !== null) Reflect.set(holder, path.at(-1) ?? '', change);
  return copy;
}

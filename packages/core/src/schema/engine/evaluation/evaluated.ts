/** Evaluated parts of a value, for `unevaluatedProperties` and `unevaluatedItems`. Pure. */
import type { WorkMeter } from '../../work/work-meter.ts';

/** Properties and items evaluated by a keyword. */
export interface Evaluated {
  hasAllProperties: boolean;
  readonly properties: Set<string>;
  hasAllItems: boolean;
  /** Number of evaluated leading items. */
  itemCount: number;
  /** Other evaluated items, by index. */
  readonly items: Set<number>;
}

export function createEvaluated(): Evaluated {
  return {
    hasAllProperties: false,
    properties: new Set(),
    hasAllItems: false,
    itemCount: 0,
    items: new Set(),
  };
}

/** Adds a subschema's evaluations to those of the parent. */
export function addEvaluated(into: Evaluated, from: Evaluated, meter: WorkMeter): void {
  meter.spend(2 * (from.properties.size + from.items.size));
  into.hasAllProperties ||= from.hasAllProperties;
  into.hasAllItems ||= from.hasAllItems;
  into.itemCount = Math.max(into.itemCount, from.itemCount);
  for (const name of from.properties) into.properties.add(name);
  for (const index of from.items) into.items.add(index);
}

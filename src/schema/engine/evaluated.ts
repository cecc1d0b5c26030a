/** Owns what a schema has evaluated of a value, which `unevaluatedProperties` and `unevaluatedItems` ask for. Pure. */
import type { WorkMeter } from '../pattern/work-meter.ts';

/** The properties and items that were looked at by a keyword that names them. */
export interface Evaluated {
  hasAllProperties: boolean;
  readonly properties: Set<string>;
  hasAllItems: boolean;
  /** The first items of an array. */
  itemCount: number;
  /** Other items, by index. */
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

/** Adds what one schema has evaluated to what the schema around it has. */
export function addEvaluated(into: Evaluated, from: Evaluated, meter: WorkMeter): void {
  meter.spend(2 * (from.properties.size + from.items.size));
  into.hasAllProperties ||= from.hasAllProperties;
  into.hasAllItems ||= from.hasAllItems;
  into.itemCount = Math.max(into.itemCount, from.itemCount);
  for (const name of from.properties) into.properties.add(name);
  for (const index of from.items) into.items.add(index);
}

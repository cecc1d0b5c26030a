/**
 * Cycle detection: finds definitions of a lowered schema that refer back to themselves. Linear in
 * the schema. Pure.
 */
import type { WorkMeter } from '../../work/work-budget.ts';
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject } from './schema-place.ts';
import { collectNodes } from './schema-rule.ts';

const PREFIX = '#/$defs/';

/** Returns the names of the definitions that a part refers to, each once. */
export function referredNames(part: unknown, work?: WorkMeter): ReadonlySet<string> {
  const names = new Set<string>();
  const nodes = isRecord(part) ? collectNodes(part, work) : [];
  for (const { schema } of nodes) {
    const { $ref } = schema;
    if (typeof $ref === 'string' && $ref.startsWith(PREFIX)) names.add($ref.slice(PREFIX.length));
  }
  return names;
}

/** Search state of a definition. */
interface Visit {
  readonly name: string;
  readonly order: number;
  readonly targets: readonly string[];
  next: number;
  lowest: number;
}

/**
 * Returns a number for each definition that is part of a cycle. Definitions of one cycle share it.
 *
 * Tarjan's strongly connected components, without recursion.
 */
export function findCircles(definitions: SchemaObject, work?: WorkMeter): ReadonlyMap<string, number> {
  const targets = new Map(
    Object.entries(definitions).map(([name, part]) => [name, referredNames(part, work)]),
  );
  const circles = new Map<string, number>();
  const orders = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const begin = (name: string): Visit => {
    const order = orders.size;
    orders.set(name, order);
    open.push(name);
    isOpen.add(name);
    return { name, order, targets: [...(targets.get(name) ?? [])], next: 0, lowest: order };
  };
  const close = ({ name, order }: Visit): void => {
    const members = open.splice(open.lastIndexOf(name));
    for (const member of members) isOpen.delete(member);
    const isCircle = members.length > 1 || targets.get(name)?.has(name) === true;
    if (isCircle) for (const member of members) circles.set(member, order);
  };
  for (const start of targets.keys()) {
    if (orders.has(start)) continue;
    const stack = [begin(start)];
    for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
      const target = visit.targets[visit.next];
      visit.next += 1;
      if (target === undefined) {
        stack.pop();
        const parent = stack.at(-1);
        if (parent !== undefined) parent.lowest = Math.min(parent.lowest, visit.lowest);
        if (visit.lowest === visit.order) close(visit);
      } else if (!orders.has(target)) stack.push(begin(target));
      else if (isOpen.has(target)) visit.lowest = Math.min(visit.lowest, orders.get(target) ?? visit.lowest);
    }
  }
  return circles;
}

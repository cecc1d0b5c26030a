/** Detection of endless in-place application of schemas. Pure. */
import type { SchemaNode } from './schema-node.ts';

/**
 * Finds a node that in-place subschemas lead back to. Iterative: chains of references can be long.
 */
export function findInPlaceCircle(nodes: readonly SchemaNode[]): SchemaNode | undefined {
  const done = new Set<SchemaNode>();
  const open = new Set<SchemaNode>();
  for (const start of nodes) {
    if (done.has(start) || start.inPlace.length === 0) continue;
    const stack = [{ node: start, next: 0 }];
    open.add(start);
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const child = frame.node.inPlace[frame.next];
      frame.next += 1;
      if (child === undefined) {
        open.delete(frame.node);
        done.add(frame.node);
        stack.pop();
      } else if (open.has(child)) {
        return child;
      } else if (!done.has(child)) {
        open.add(child);
        stack.push({ node: child, next: 0 });
      }
    }
  }
  return undefined;
}

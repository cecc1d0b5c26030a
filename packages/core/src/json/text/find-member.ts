/** Search in a value of any depth, without recursion, because JSON can be nested deeper than the stack allows. Pure. */

type Path = (string | number)[];

/** A container, and the way to it. A path for each would cost its depth. */
interface Visit {
  readonly container: object;
  readonly parent: Visit | undefined;
  readonly key: string | number;
}

/**
 * Returns the path of a member that is wanted, or of the root itself, if there is one. The root has the
 * key `''`. A value from a program need not be parsed JSON: it can contain itself.
 */
export function findMember(
  root: unknown,
  isWanted: (value: unknown, key: string | number) => boolean,
): Path | undefined {
  if (isWanted(root, '')) return [];
  const seen = new Set<object>();
  const visits: Visit[] = [];
  const enter = (value: unknown, key: string | number, parent: Visit | undefined): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    visits.push({ container: value, parent, key });
  };
  enter(root, '', undefined);
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
    for (const [key, value] of membersOf(visit.container)) {
      if (isWanted(value, key)) return pathOf(visit, key);
      enter(value, key, visit);
    }
  }
  return undefined;
}

function membersOf(container: object): Iterable<[string | number, unknown]> {
  return Array.isArray(container) ? container.entries() : Object.entries(container);
}

function pathOf(visit: Visit, key: string | number): Path {
  const path: Path = [key];
  for (let at: Visit | undefined = visit; at?.parent !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

/** Part of a value by its path. Pure. */
import type { Issue } from '../../errors/base/issue.ts';

/** Returns the own part at a path. Undefined if there is none. */
export function valueAt(root: unknown, path: Issue['path']): unknown {
  return path.reduce<unknown>((value, key) => {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    return isThere ? Reflect.get(value, key) : undefined;
  }, root);
}

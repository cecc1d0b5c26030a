/** Paths in a value: their notation `a.b[0]`, and the part at one. Pure. */
import type { Issue } from '../kit/issue.ts';

/** Formats a path as `a.b[0]`. The value itself is `(root)`. */
export function showPath(path: Issue['path']): string {
  const shown = path
    .map((key) =>
      typeof key === 'number' ? `[${key}]` : /^[\w$-]+$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
    )
    .join('');
  return shown === '' ? '(root)' : shown.replace(/^\./u, '');
}

/** Returns the own part at a path. Undefined without one. */
export function valueAt(root: unknown, path: Issue['path']): unknown {
  return path.reduce<unknown>((value, key) => {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    return isThere ? Reflect.get(value, key) : undefined;
  }, root);
}

/** Notation of a path in a value: `a.b[0]`. Pure. */
import type { Issue } from '../../errors/base/issue.ts';

/** Formats a path as `a.b[0]`. The value itself is `(root)`. */
export function showPath(path: Issue['path']): string {
  const shown = path
    .map((key) =>
      typeof key === 'number' ? `[${key}]` : /^[\w$-]+$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
    )
    .join('');
  return shown === '' ? '(root)' : shown.replace(/^\./u, '');
}

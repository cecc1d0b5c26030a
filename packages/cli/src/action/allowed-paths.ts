/** Patterns of paths that a job accepts: `*` for a part of a name, `**` for any folders. Pure. */

/**
 * Returns true if a pattern matches the path. A pattern that ends with `/` matches everything below. As in a
 * shell, `*` and `**` match no name that begins with a dot: such names configure programs, so a pattern must
 * contain them.
 */
export function isAllowedPath(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => expressionOf(pattern).test(path));
}

const NAME = '(?!\\.)[^/]';

function expressionOf(pattern: string): RegExp {
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern;
  const parts = whole.split('/').map((part, index, all) => {
    const isLast = index === all.length - 1;
    if (part === '**') return isLast ? `(?:${NAME}+/)*${NAME}+` : `(?:${NAME}+/)*`;
    const names = part.replaceAll(/[\\^$.+?()[\]{}|]/gu, String.raw`\$&`).replaceAll('*', '[^/]*');
    return `${part.startsWith('*') ? '(?!\\.)' : ''}${names}${isLast ? '' : '/'}`;
  });
  return new RegExp(`^${parts.join('')}$`, 'u');
}

/** Indented form of JSON text. Pure. */

/** Changes whitespace only: the digits of numbers stay. */
export function indentJson(text: string): string {
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]/gu, (token) => {
    if (token.startsWith('"') || token === '{}' || token === '[]') return token;
    if (token === ',') return `,${line()}`;
    if (token === ':') return ': ';
    if (token === '{' || token === '[') {
      depth += 1;
      return `${token}${line()}`;
    }
    depth -= 1;
    return `${line()}${token}`;
  });
}

/** Indented form of JSON text. Pure. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';

/** Changes whitespace only: the digits of numbers stay. */
export function indentJson(text: string): string {
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/gu, (token) => {
    if (token.startsWith('"')) return token;
    if (token.length > 1 || token.trim() === '') return token.replaceAll(/\s/gu, '');
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

/** Returns a text that is not JSON unchanged. */
export function indentIfJson(text: string): string {
  return jsonValueOf(text) === undefined ? text : indentJson(text);
}

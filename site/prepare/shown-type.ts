/** Shortens the compiler's text for a hover. Pure. */

/** A signature before its arguments, such as `run<…>(` or `(method) ask<…>(`. */
const SIGNATURE = /^(?:\(method\) )?\w+(?:<|\()/u;

/**
 * Returns the compiler's text about `name` for a hover. A member loses its owner, and a signature its type
 * arguments and overloads: with them, it is longer than a screen.
 */
export function shownType(text: string, name: string): string {
  const type = text
    .replace(/\nimport \w+$/u, '')
    .replace(/^\(alias\) /u, '')
    .replace(/^function /u, '')
    .replace(new RegExp(`^\\((property|method)\\) .*?\\.(?=${name}[?]?[:<(])`, 'su'), '($1) ');
  if (!SIGNATURE.test(type)) return type;
  return withoutTypeArguments(type)
    .replace(/^(?<start>(?:\(method\) )?\w+)<…>/u, '$<start>')
    .replace(/ \(\+\d+ overloads?\)$/u, '');
}

/** Shortens type arguments to `<…>`. The bracket of `=>` does not count. */
function withoutTypeArguments(type: string): string {
  let depth = 0;
  let shown = '';
  for (let index = 0; index < type.length; index += 1) {
    const character = type.charAt(index);
    const isEnd = character === '>' && type.charAt(index - 1) !== '=';
    if (isEnd) depth -= 1;
    if (depth === 0) shown += isEnd ? '…>' : character;
    if (character === '<') depth += 1;
  }
  return shown;
}

/** Position of the first syntax error of a JSON text. Pure. */

/** Returns the message and the position of the first error, or undefined for JSON. */
export function syntaxErrorOf(
  text: string,
): { readonly message: string; readonly position: number } | undefined {
  const message = errorOf(text);
  if (message === undefined) return undefined;
  return { message, position: positionIn(message) ?? firstError(text) };
}

function errorOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function positionIn(message: string): number | undefined {
  const position = /position (\d+)/u.exec(message)?.[1];
  return position === undefined ? undefined : Number(position);
}

/**
 * Some messages have no position. The error is then after the longest prefix that can be continued.
 */
function firstError(text: string): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isBeginning(text.slice(0, middle + 1))) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBeginning(text: string): boolean {
  const message = errorOf(text);
  if (message === undefined) return true;
  const position = positionIn(message);
  return /end of|Unterminated/u.test(message) || (position !== undefined && position >= text.length);
}

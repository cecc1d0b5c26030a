/** Preview of JSON text whose end is missing. Pure. */
import { parseBoundedJson } from './bounded-json.ts';

/** A string, with its closing quote if it has one, or a bracket. */
const TOKEN = /"(?:[^"\\]|\\.)*("?)|[[\]{}]/gsu;
/** A scalar that can continue, and the comma before it. */
const OPEN_SCALAR = /,?[^,:"[\]{}]*$/u;

/**
 * Returns the value of the start of a JSON text: its open parts are closed. Undefined if the result
 * is not JSON, as after a key. An earlier preview is then still valid.
 */
export function previewJson(text: string): unknown {
  let closing = '';
  let isOpen = false;
  for (const [token, quote] of text.matchAll(TOKEN)) {
    isOpen = quote === '';
    if (token === '{') closing = `}${closing}`;
    else if (token === '[') closing = `]${closing}`;
    else if (quote === undefined) closing = closing.slice(1);
  }
  const parsed = parseBoundedJson((isOpen ? `${text}"` : text.replace(OPEN_SCALAR, '')) + closing);
  return parsed.success ? parsed.value : undefined;
}

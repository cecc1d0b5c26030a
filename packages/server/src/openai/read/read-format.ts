/** Reads the response format from a body's raw text, for both APIs. Pure. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { memberText } from '@truecast/core/internal/json/text/member-text';
import { parseResponseFormat, type ResponseFormat } from '../../format/parse-response-format.ts';
import { refused, type WireFailure } from '../wire/wire-failure.ts';

/** Position of the format in the body. */
const PLACES = {
  chat: { path: ['response_format'], wire: 'openai' },
  responses: { path: ['text', 'format'], wire: 'openai-flat' },
} as const;

/** A format, undefined for text, or its problem. */
export type ReadFormat =
  | { readonly success: true; readonly format: ResponseFormat | undefined }
  | { readonly success: false; readonly failure: WireFailure };

/**
 * Reads the format of a JSON body.
 *
 * @param value - the parsed body. Without a format in it, the text is not searched, because that takes
 *   longer than parsing it
 */
export function readFormat(body: string, value: unknown, api: keyof typeof PLACES): ReadFormat {
  const { path, wire } = PLACES[api];
  if (!hasMember(value, path)) return { success: true, format: undefined };
  const parsed = parseResponseFormat(memberText(body, path), { field: path.join('.'), wire });
  if (parsed.type !== 'refused') {
    return { success: true, format: parsed.type === 'text' ? undefined : parsed.format };
  }
  const [problem] = parsed.problems;
  const { field, detail, pointer } = problem ?? { field: path.join('.'), detail: 'Cannot be used.' };
  const place = pointer === undefined ? `\`${field}\`` : `\`${field}\` at \`${pointer}\``;
  return { success: false, failure: refused(field, `${place}: ${detail}`) };
}

function hasMember(value: unknown, path: readonly string[]): boolean {
  let at = value;
  for (const key of path) {
    if (!isRecord(at) || !Object.hasOwn(at, key)) return false;
    at = at[key];
  }
  return true;
}

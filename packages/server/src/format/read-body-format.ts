/** Reads format and limits from the raw body, where duplicate keys are visible. Pure. */
import { memberText } from '@truecast/core/internal/json/text/member-text';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type { RequestLimits } from '@truecast/client/internal/wire/message-parts';
import { fieldOf, type FormatProblem } from './format-problem.ts';
import { parseResponseFormat, type ParsedResponseFormat } from './parse-response-format.ts';
import { parseRequestLimits } from './request-limits.ts';
import { screenJson } from './screen-json.ts';

/** The requested format and limits. */
export type BodyFormat =
  | Extract<ParsedResponseFormat, { readonly type: 'text' | 'refused' }>
  | (Extract<ParsedResponseFormat, { readonly type: 'json_schema' }> & { readonly limits: RequestLimits });

/**
 * Reads `response_format` and `limits` from a body. Duplicate keys of the body are problems too.
 *
 * @param body - well-formed JSON, as received
 * @param options - `hasOwnLimits`: `limits` are not those of an answer
 */
export function readBodyFormat(
  body: string,
  { hasOwnLimits = false }: { readonly hasOwnLimits?: boolean } = {},
): BodyFormat {
  const format = parseResponseFormat(memberText(body, ['response_format']));
  const limitsText = hasOwnLimits ? undefined : memberText(body, ['limits']);
  const limitsValue = limitsText === undefined ? undefined : parseJson(limitsText);
  const limits = parseRequestLimits(
    // With a prototype key it is not accepted as limits.
    limitsValue === undefined ? undefined : limitsValue.success ? limitsValue.value : null,
    format.type !== 'text',
  );
  const problems = [
    ...doubledKeys(body),
    ...(format.type === 'refused' ? format.problems : []),
    ...(limits.success ? [] : limits.problems),
  ];
  if (problems.length > 0 || format.type === 'refused' || !limits.success) {
    return { type: 'refused', problems };
  }
  return format.type === 'text' ? format : { ...format, limits: limits.limits };
}

function doubledKeys(body: string): FormatProblem[] {
  return screenJson(body)
    .filter(({ kind, path }) => kind === 'doubled-key' && path.length === 1)
    .map(({ path: [key = ''] }) => ({
      field: fieldOf('', String(key)).replace(/^\./u, '') || 'body',
      detail: 'Is repeated in the body. Send it once.',
    }));
}

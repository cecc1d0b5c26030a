/** Owns finding the format and the limits in the text of a request's body, where doubled keys still show. Pure. */
import { memberText } from '../../output/finalizer/member-text.ts';
import { parseJson } from '../../output/parse-json.ts';
import type { RequestLimits } from '../contract/parts.ts';
import { fieldOf, type FormatProblem } from './format-problem.ts';
import { parseResponseFormat, type ParsedResponseFormat } from './parse-response-format.ts';
import { parseRequestLimits } from './request-limits.ts';
import { screenJson } from './screen-json.ts';

/** What the body asks for, with the limits of the request. */
export type BodyFormat =
  | Extract<ParsedResponseFormat, { readonly type: 'text' | 'refused' }>
  | (Extract<ParsedResponseFormat, { readonly type: 'json_schema' }> & { readonly limits: RequestLimits });

/**
 * Reads `response_format` and `limits` out of a body. Keys of the body that stand twice are refused too.
 *
 * @param body - well-formed JSON, as it was received
 */
export function readBodyFormat(body: string): BodyFormat {
  const format = parseResponseFormat(memberText(body, ['response_format']));
  const limitsText = memberText(body, ['limits']);
  const limitsValue = limitsText === undefined ? undefined : parseJson(limitsText);
  const limits = parseRequestLimits(
    // A key that could reach a prototype makes it no limits at all.
    limitsValue === undefined ? undefined : limitsValue.success ? limitsValue.value : null,
    format.type !== 'text',
  );
  const problems = [
    ...doubledKeys(body),
    ...(format.type === 'refused' ? format.problems : []),
    ...(limits.success ? [] : limits.problems),
  ];
  if (problems.length > 0 || format.type === 'refused' || !limits.success)
    return { type: 'refused', problems };
  return format.type === 'text' ? format : { ...format, limits: limits.limits };
}

function doubledKeys(body: string): FormatProblem[] {
  return screenJson(body)
    .filter(({ kind, path }) => kind === 'doubled-key' && path.length === 1)
    .map(({ path: [key = ''] }) => ({
      field: fieldOf('', String(key)).replace(/^\./u, '') || 'body',
      detail: 'Stands twice in the body. Send it once.',
    }));
}

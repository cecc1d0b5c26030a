/** JSON parser for answers: reports the exact location of a syntax error. Pure. */
import { parseBoundedJson, type ParsedJson } from './bounded-json.ts';
import { describeJsonError } from './describe-json-error.ts';

/** Parses JSON that was trimmed and unwrapped. Never throws for any text. */
export function parseJson(text: string): ParsedJson {
  const parsed = parseBoundedJson(text);
  if (parsed.success || parsed.code !== 'syntax') return parsed;
  return { ...parsed, reason: describeJsonError(text) };
}

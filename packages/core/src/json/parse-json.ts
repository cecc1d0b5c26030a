/** JSON parser for answers: reports the exact location of a syntax error, alike in every engine. Pure. */
import { isRecord } from '../kit/is-record.ts';
import { parseBoundedJson, type ParsedJson } from './bounded-json.ts';
import { JsonBodyReader } from './scan/json-body-reader.ts';

/** Parses JSON that was trimmed and unwrapped. Never throws for any text. */
export function parseJson(text: string): ParsedJson {
  const parsed = parseBoundedJson(text);
  if (parsed.success || parsed.code !== 'syntax') return parsed;
  return { ...parsed, reason: describeJsonError(text) };
}

/** Returns the object of a JSON text. Empty for anything else. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> {
  const parsed = parseJson(text);
  return parsed.success && isRecord(parsed.value) ? parsed.value : {};
}

const SHOWN_CHARS = 20;

/**
 * Describes why `JSON.parse` rejects `text`: the error, with line, column and offset (UTF-16, from
 * 1, 1 and 0), and a short excerpt. Linear.
 */
export function describeJsonError(text: string): string {
  if (text.trim() === '') return 'there is no value';
  const { offset, isAfterValue } = findJsonError(text);
  const where = `at line ${countLines(text, offset)}, column ${offset - text.lastIndexOf('\n', offset - 1)} (offset ${offset})`;
  const near = JSON.stringify(text.slice(Math.max(0, offset - SHOWN_CHARS), offset + SHOWN_CHARS));
  return `${whatStandsAt(text, offset, isAfterValue)} ${where}, near ${near}`;
}

/** Returns where `JSON.parse` finds the first error of a text that it rejects. The end, if the text ends too early. */
export function findJsonError(text: string): { readonly offset: number; readonly isAfterValue: boolean } {
  const reader = new JsonBodyReader(undefined);
  const end = reader.read(text, 0, text.length);
  return { offset: skipWhiteSpace(text, end, reader.isWhole), isAfterValue: reader.isWhole };
}

function whatStandsAt(text: string, offset: number, isAfterValue: boolean): string {
  if (offset >= text.length) return 'the text ends too early';
  const character = JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0));
  return isAfterValue ? `unexpected ${character} after the value` : `unexpected ${character}`;
}

/** After a complete value only white space is valid. */
function skipWhiteSpace(text: string, from: number, isAfterValue: boolean): number {
  let at = from;
  while (isAfterValue && at < text.length && text.charAt(at).trim() === '') at += 1;
  return at;
}

function countLines(text: string, end: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

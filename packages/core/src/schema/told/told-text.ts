/**
 * Told text: words and values of a stranger's schema, written so that they end neither a comment nor a
 * fence, and so that they are no tag. Pure.
 */

import type { ToldNames } from './told-names.ts';
import { isRecord } from '../../kit/is-record.ts';

/** The place of a value in a sample. A model that repeats it wrote nothing itself. */
export const PLACE = '…';

/** What opens a tag, or a mark of a chat's template. */
const OPENING = /<(?=[\w/!?|])/gu;
/** White space, control characters and characters without a shape that change how a line reads. */
const BLANK = /[\s\p{Cc}\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]+/gu;
const FENCE = /`{3,}/gu;

/** Returns a description on one line, for a comment. */
export function toldWords(text: string): string {
  return text
    .replaceAll(BLANK, ' ')
    .trim()
    .replaceAll('*/', '* /')
    .replaceAll(OPENING, '‹')
    .replaceAll(FENCE, (marks) => "'".repeat(marks.length));
}

/** Returns a value as JSON text. Signs of a string are escaped where they could be misread, so it stays equal. */
export function toldJson(value: unknown): string {
  // A part of a schema is JSON. Other values are not shown.
  return escapeJson(JSON.stringify(value) ?? 'null');
}

/** Escapes JSON text. The signs occur only in its strings. */
export function escapeJson(json: string): string {
  return json
    .replaceAll('*/', String.raw`*\/`)
    .replaceAll(OPENING, String.raw`\u003c`)
    .replaceAll(FENCE, (marks) => String.raw`\u0060`.repeat(marks.length))
    .replaceAll(/[\u007F-\u009F\u2028\u2029]/gu, (sign) => `\\u${hexOf(sign)}`);
}

/** Signs of a pattern that could end its quotes or its line. Escapes stay whole. */
const PATTERN_SIGN = /\\[^]|[`\p{Cc}\u2028\u2029]|<(?=[\w/!?|])/gu;

/** Returns an equal pattern between backticks. */
export function toldPattern(pattern: string): string {
  return `\`${pattern.replaceAll(PATTERN_SIGN, showSign).replaceAll('*/', String.raw`*\/`)}\``;
}

function showSign(sign: string): string {
  const last = sign.at(-1) ?? '';
  return /[`<\p{Cc}\u2028\u2029]/u.test(last) ? `\\u${hexOf(last)}` : sign;
}

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(4, '0');
}

type Keywords = Readonly<Record<string, unknown>>;

const REST = new Set(
  (
    'not if then else contains minContains maxContains dependentRequired dependentSchemas dependencies ' +
    'unevaluatedItems contentSchema $dynamicRef $recursiveRef'
  ).split(' '),
);

/** Returns the clause of what a type does not say, if there is something. */
export function restOf(schema: Keywords, names: ToldNames): readonly string[] {
  const rest = Object.entries(schema).filter(
    ([keyword, value]) =>
      REST.has(keyword) || isOpenRest(keyword, value) || isUnknownReference(keyword, value, names),
  );
  return rest.length === 0 ? [] : [jsonSchemaClause(Object.fromEntries(rest), names)];
}

/** Returns a schema as a clause. Its references are the names of the type. */
export function jsonSchemaClause(schema: unknown, names: ToldNames): string {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string') return value;
    const found = names.find(value);
    return isRecord(found) ? names.nameOf(value, found) : value;
  });
  return `fits the JSON Schema ${escapeJson(text)}`;
}

function isOpenRest(keyword: string, value: unknown): boolean {
  if (keyword === 'propertyNames') return !isSimpleName(value);
  return keyword === 'unevaluatedProperties' && typeof value !== 'boolean';
}

/** Names with an enumeration or plain rules of a text are in the type. */
export function isSimpleName(names: unknown): boolean {
  const simple = ['type', 'enum', 'pattern', 'minLength', 'maxLength', 'format', 'description'];
  return isRecord(names) && Object.keys(names).every((keyword) => simple.includes(keyword));
}

function isUnknownReference(keyword: string, value: unknown, names: ToldNames): boolean {
  return keyword === '$ref' && (typeof value !== 'string' || names.find(value) === undefined);
}

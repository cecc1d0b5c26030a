/**
 * Bounds of a value: kept if the provider supports them, else lost and added to the description.
 * Pure.
 */
import type { LoweringPort } from './lowering-port.ts';
import { portableText, TEXT_KEYWORDS } from './portable-text.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';

/** Keywords that judge a value of any type. No schema mode holds them beside the members of an object or list. */
export const CONDITIONS: readonly string[] = ['not', 'if', 'then', 'else'];

/** Not described: they have no meaning without the keyword that is described. */
const SILENT: ReadonlySet<string> = new Set(['then', 'else', 'minContains', 'maxContains']);

/** A longer keyword is not added to the description. */
const MAX_TOLD_CHARS = 200;

/** Returns the supported part of `keywords`, with its description. The rest is lost. */
export function keepKeywords(
  schema: SchemaObject,
  keywords: readonly string[],
  path: SchemaPath,
  port: LoweringPort,
): SchemaObject {
  const kept: Record<string, unknown> = {};
  const told: string[] = [];
  const text = hasText(schema, keywords, port) ? portableText(schema, path, port) : undefined;
  const ofText = (keyword: string): boolean => text !== undefined && TEXT_KEYWORDS.has(keyword);
  for (const keyword of keywords) {
    const value = schema[keyword];
    if (value === undefined || isIdle(keyword, value)) continue;
    const loss = ofText(keyword) ? text?.lost.get(keyword) : lossOf(schema, keyword, port);
    if (!ofText(keyword) && takes(keyword, value, port)) kept[keyword] = value;
    if (loss === undefined) continue;
    port.lose([...path, keyword], keyword, loss);
    if (!SILENT.has(keyword) && !isSafeIntegerBound(value)) {
      told.push(tellKeyword(keyword, value, path, port));
    }
  }
  Object.assign(kept, text?.sent);
  if (schema['default'] !== undefined && !port.profile.keywords.has('default')) {
    told.push(tellKeyword('default', schema['default'], path, port));
  }
  const description = describe(schema['description'], told);
  return {
    ...(typeof schema['title'] === 'string' && { title: schema['title'] }),
    ...(description !== '' && { description }),
    ...kept,
  };
}

/** Returns true if keywords of a string have to be written in the notation that every engine reads. */
function hasText({ type }: SchemaObject, keywords: readonly string[], { profile }: LoweringPort): boolean {
  const isString = type === undefined || [type].flat().includes('string');
  return (
    profile.hasPortableText === true && isString && keywords.some((keyword) => TEXT_KEYWORDS.has(keyword))
  );
}

function lossOf(schema: SchemaObject, keyword: string, port: LoweringPort): string | undefined {
  if (!takes(keyword, schema[keyword], port)) return 'the provider does not enforce it';
  const isDoubtful =
    port.profile.isDoubtful?.(keyword, schema) === true && !isSafeIntegerBound(schema[keyword]);
  return isDoubtful ? 'not every engine enforces it' : undefined;
}

function tellKeyword(keyword: string, value: unknown, path: SchemaPath, { work }: LoweringPort): string {
  const text = `${keyword}: ${JSON.stringify(value)}`;
  work.spend(text.length >> 4, path);
  return text;
}

function describe(description: unknown, told: readonly string[]): string {
  const lines = told.filter((line) => line.length <= MAX_TOLD_CHARS);
  const own = typeof description === 'string' ? description : '';
  const said = `(${lines.join(', ')})`;
  // A lowered schema that is lowered again says it already.
  if (lines.length === 0 || own.split('\n').includes(said)) return own;
  return own === '' ? said : `${own}\n${said}`;
}

function takes(keyword: string, value: unknown, { profile }: LoweringPort): boolean {
  if (!profile.keywords.has(keyword)) return false;
  if (keyword === 'format' && profile.formats !== undefined) {
    return typeof value === 'string' && profile.formats.has(value);
  }
  return profile.takes?.(keyword, value) ?? true;
}

/** Some libraries add the bounds of a safe integer to every integer. */
function isSafeIntegerBound(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;
}

/** Values without an effect. */
function isIdle(keyword: string, value: unknown): boolean {
  return (
    (keyword === 'uniqueItems' && value === false) || (keyword.startsWith('unevaluated') && value === true)
  );
}

/**
 * Bounds of a value: kept if the provider supports them, else lost and added to the description.
 * Pure.
 */
import type { LoweringPort } from './lowering-port.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';

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
  for (const keyword of keywords) {
    const value = schema[keyword];
    if (value === undefined || isIdle(keyword, value)) continue;
    if (takes(keyword, value, port)) {
      kept[keyword] = value;
      continue;
    }
    port.lose([...path, keyword], keyword, 'the provider does not enforce it');
    if (!SILENT.has(keyword) && !isSafeIntegerBound(value))
      told.push(tellKeyword(keyword, value, path, port));
  }
  if (schema['default'] !== undefined && !port.profile.keywords.has('default'))
    told.push(tellKeyword('default', schema['default'], path, port));
  const description = describe(schema['description'], told);
  return {
    ...(typeof schema['title'] === 'string' && { title: schema['title'] }),
    ...(description !== '' && { description }),
    ...kept,
  };
}

function tellKeyword(keyword: string, value: unknown, path: SchemaPath, { work }: LoweringPort): string {
  const text = `${keyword}: ${JSON.stringify(value)}`;
  work.spend(text.length >> 4, path);
  return text;
}

function describe(description: unknown, told: readonly string[]): string {
  const lines = told.filter((line) => line.length <= MAX_TOLD_CHARS);
  return [
    ...(typeof description === 'string' && description !== '' ? [description] : []),
    ...(lines.length > 0 ? [`(${lines.join(', ')})`] : []),
  ].join('\n');
}

function takes(keyword: string, value: unknown, { profile }: LoweringPort): boolean {
  if (!profile.keywords.has(keyword)) return false;
  if (keyword === 'format' && profile.formats !== undefined)
    return typeof value === 'string' && profile.formats.has(value);
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

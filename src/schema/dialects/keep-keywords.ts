/** Owns what becomes of the keywords that bound a value: kept where the provider takes them, else lost and told in words. Pure. */
import type { LoweringPort } from './lowering-port.ts';
import type { SchemaObject, SchemaPath } from './schema-place.ts';

/** Keywords that judge a value, beside those whose form is changed. */
const ASSERTIONS: ReadonlySet<string> = new Set(
  (
    'format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems ' +
    'contains minContains maxContains propertyNames minProperties maxProperties dependencies dependentRequired dependentSchemas ' +
    'not if then else unevaluatedItems unevaluatedProperties patternProperties'
  ).split(' '),
);

/** They have no meaning without the keyword that is told. */
const SILENT: ReadonlySet<string> = new Set(['then', 'else', 'minContains', 'maxContains']);

/** Longer, a keyword is not told in the description. */
const MAX_TOLD_CHARS = 200;

/** Tells whether a keyword judges values. */
export function isAssertion(keyword: string): boolean {
  return ASSERTIONS.has(keyword);
}

/** Returns what of `keywords` the provider takes, with its description; what it does not take is lost. */
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
    port.lose([...path, keyword], keyword, 'the provider does not hold the answer to it');
    if (!SILENT.has(keyword) && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER)
      told.push(`${keyword}: ${JSON.stringify(value)}`);
  }
  if (schema['default'] !== undefined && !port.profile.keywords.has('default'))
    told.push(`default: ${JSON.stringify(schema['default'])}`);
  const description = describe(schema['description'], told);
  return {
    ...(typeof schema['title'] === 'string' && { title: schema['title'] }),
    ...(description !== '' && { description }),
    ...kept,
  };
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
  if (keyword === 'format' && profile.formats !== undefined && !profile.formats.has(String(value)))
    return false;
  return profile.takes?.(keyword, value) ?? true;
}

/** Values that ask for nothing. */
function isIdle(keyword: string, value: unknown): boolean {
  return (
    (keyword === 'uniqueItems' && value === false) || (keyword.startsWith('unevaluated') && value === true)
  );
}

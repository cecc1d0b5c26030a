/**
 * Told notes: what a schema says beside its type, as clauses of a comment: format, bounds, values and
 * description. Pure.
 */
import { toldJson, toldPattern, toldWords } from './told-text.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** Formats in words. Others have their names. */
const FORMATS: Readonly<Record<string, string>> = {
  date: 'date YYYY-MM-DD',
  'date-time': 'time YYYY-MM-DDTHH:MM:SSZ',
  time: 'time HH:MM:SSZ',
  uri: 'URL',
  uuid: 'UUID',
  email: 'email',
  ipv4: 'IPv4',
  ipv6: 'IPv6',
};

/** A longer pattern beside a known format is how a library spells this format. */
const MAX_OWN_PATTERN_CHARS = 60;

/** Returns the clauses of one schema, without those of the parts and without its description. */
export function clausesOf(schema: Keywords): readonly string[] {
  return [
    ...textClauses(schema),
    ...numberClauses(schema),
    ...countClauses(schema, 'characters', 'minLength', 'maxLength'),
    ...itemClauses(schema),
    ...countClauses(schema, 'keys', 'minProperties', 'maxProperties'),
    ...valueClauses(schema),
  ];
}

function textClauses({ format, pattern, contentEncoding }: Keywords): readonly string[] {
  const known = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  const isSpelled = known !== undefined && String(pattern).length > MAX_OWN_PATTERN_CHARS;
  return [
    ...(typeof format === 'string' ? [known ?? `format ${toldWords(format)}`] : []),
    ...(typeof pattern === 'string' && !isSpelled ? [`matches ${toldPattern(pattern)}`] : []),
    ...(typeof contentEncoding === 'string' ? [`encoded as ${toldWords(contentEncoding)}`] : []),
  ];
}

function numberClauses(schema: Keywords): readonly string[] {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // Draft 4 has them as flags.
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  const least = exclusiveMinimum === true ? undefined : bound(minimum);
  const most = exclusiveMaximum === true ? undefined : bound(maximum);
  const isWhole = type === 'integer' || (Array.isArray(type) && type.includes('integer'));
  return [
    ...(isWhole ? ['whole number'] : []),
    ...rangeClauses(least, most, ''),
    ...(bound(above) === undefined ? [] : [`more than ${bound(above)}`]),
    ...(bound(below) === undefined ? [] : [`less than ${bound(below)}`]),
    ...(typeof multipleOf === 'number' ? [`multiple of ${multipleOf}`] : []),
  ];
}

/** Leaves out limits from 2^53 - 1 on, such as those of every integer in Zod. No answer reaches them. */
function bound(value: unknown): number | undefined {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

function rangeClauses(least: number | undefined, most: number | undefined, unit: string): readonly string[] {
  if (least === undefined) return most === undefined ? [] : [`at most ${most}${unit}`];
  if (most === undefined) return [`at least ${least}${unit}`];
  return [least === most ? `exactly ${least}${unit}` : `${least} to ${most}${unit}`];
}

function countClauses(schema: Keywords, unit: string, least: string, most: string): readonly string[] {
  const from = bound(schema[least]);
  return rangeClauses(from === 0 ? undefined : from, bound(schema[most]), ` ${unit}`);
}

/** The length of a tuple is in its type. */
function itemClauses(schema: Keywords): readonly string[] {
  const { minItems, maxItems, prefixItems, uniqueItems } = schema;
  const isTuple = Array.isArray(prefixItems) && prefixItems.length === minItems && minItems === maxItems;
  return [
    ...(isTuple ? [] : countClauses(schema, 'items', 'minItems', 'maxItems')),
    ...(uniqueItems === true ? ['no two equal'] : []),
  ];
}

function valueClauses(schema: Keywords): readonly string[] {
  const { examples, deprecated } = schema;
  return [
    ...(schema['default'] === undefined ? [] : [`default ${toldJson(schema['default'])}`]),
    ...(Array.isArray(examples) && examples.length > 0
      ? [`such as ${examples.map((each) => toldJson(each)).join(', ')}`]
      : []),
    ...(deprecated === true ? ['deprecated'] : []),
  ];
}

/**
 * Returns the description, else a title that is not the name again.
 *
 * @param name - its key, which libraries repeat as its title
 */
export function descriptionOf({ title, description }: Keywords, name: string = ''): string {
  const own = typeof title === 'string' && lettersOf(title) !== lettersOf(name) ? title : '';
  return toldWords(typeof description === 'string' && description.trim() !== '' ? description : own);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

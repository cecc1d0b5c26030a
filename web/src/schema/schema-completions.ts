/** Completions of a schema's text: the keywords and values that fit at the caret. Pure. */

/** Completions of the string around the caret. */
export interface SchemaCompletion {
  /** Range of the text that an option replaces: the string, without its first quotation mark. */
  readonly from: number;
  readonly to: number;
  readonly options: readonly string[];
  readonly isKey: boolean;
}

const KEYWORDS = [
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'description',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'uniqueItems',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'allOf',
  'const',
  '$ref',
  '$defs',
];
const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];
const FORMATS = ['date-time', 'date', 'time', 'duration', 'email', 'uri', 'uuid', 'hostname', 'ipv4', 'ipv6'];
const MAPS = new Set(['properties', '$defs', 'patternProperties', 'dependentSchemas']);
const SCHEMAS = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
]);
const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);

/** Kind of the content of an object or a list. */
type Content = 'schema' | 'map' | 'schemas' | 'other';

interface Level {
  readonly content: Content;
  readonly isList: boolean;
  /** Key within the level above. */
  readonly name: string | undefined;
  readonly keys: string[];
  /** Names of the fields that a schema has before this position. */
  fields: readonly string[];
  expectsKey: boolean;
}

/** A string ends with its line at the latest, because it can be incomplete. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[{}[\],:]/gu;
const MAX_OPTIONS = 8;

/** Returns the completions at a position, or undefined without any. */
export function completionAt(text: string, caret: number): SchemaCompletion | undefined {
  const levels: Level[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (index >= caret) return undefined;
    const end = index + token.length;
    const isClosed = token.length > 1 && token.endsWith('"');
    if (token.startsWith('"') && (caret < end || (caret === end && !isClosed))) {
      return optionsAt(text, { from: index + 1, caret }, levels);
    }
    readToken(token, levels);
  }
  return undefined;
}

interface Place {
  readonly from: number;
  readonly caret: number;
}

/** The rest of the word at the caret. A later quotation mark can belong to the next string. */
const REST = /^[\w$/#.-]*"?/u;

function optionsAt(
  text: string,
  { from, caret }: Place,
  levels: readonly Level[],
): SchemaCompletion | undefined {
  const level = levels.at(-1);
  if (level === undefined) return undefined;
  const typed = text.slice(from, caret);
  const to = caret + (REST.exec(text.slice(caret))?.[0].length ?? 0);
  const isKey = !level.isList && level.expectsKey;
  const options = (isKey ? keysAt(level) : valuesAt(text, levels)).filter(
    (option) => option.toLowerCase().startsWith(typed.toLowerCase()) && option !== typed,
  );
  return options.length === 0 ? undefined : { from, to, options: options.slice(0, MAX_OPTIONS), isKey };
}

function keysAt({ content, keys }: Level): readonly string[] {
  return content === 'schema' ? KEYWORDS.filter((keyword) => !keys.includes(keyword)) : [];
}

function valuesAt(text: string, levels: readonly Level[]): readonly string[] {
  const [level, above] = [levels.at(-1), levels.at(-2)];
  const isInList = level?.isList === true;
  const key = isInList ? level.name : level?.keys.at(-1);
  if ((isInList ? above : level)?.content !== 'schema') return [];
  if (key === 'type') return TYPES;
  if (key === 'format') return FORMATS;
  if (key === 'required' && isInList) return above?.fields ?? [];
  return key === '$ref' ? definitionsOf(text).map((name) => `#/$defs/${name}`) : [];
}

/** Returns the names below `$defs`, even of an incomplete text. */
function definitionsOf(text: string): readonly string[] {
  const levels: Level[] = [];
  const names = new Set<string>();
  for (const { 0: token } of text.matchAll(TOKEN)) {
    readToken(token, levels);
    const level = levels.at(-1);
    if (level?.name === '$defs' && level.content === 'map') for (const name of level.keys) names.add(name);
  }
  return [...names];
}

function readToken(token: string, levels: Level[]): void {
  const level = levels.at(-1);
  if (token === '{' || token === '[') {
    levels.push(openLevel(token === '[', level));
  } else if (token === '}' || token === ']') {
    const closed = levels.pop();
    const parent = levels.at(-1);
    if (closed?.name === 'properties' && parent !== undefined) parent.fields = closed.keys;
  } else if (level === undefined) return;
  else if (token === ',') level.expectsKey = true;
  else if (token === ':') level.expectsKey = false;
  else if (!level.isList && level.expectsKey) level.keys.push(token.replaceAll('"', ''));
}

function openLevel(isList: boolean, parent: Level | undefined): Level {
  const name = parent?.isList === true ? undefined : parent?.keys.at(-1);
  return { content: contentOf(isList, parent, name), isList, name, keys: [], fields: [], expectsKey: true };
}

function contentOf(isList: boolean, parent: Level | undefined, name: string | undefined): Content {
  if (parent === undefined) return isList ? 'other' : 'schema';
  if (isList) {
    return parent.content === 'schema' && name !== undefined && LISTS.has(name) ? 'schemas' : 'other';
  }
  if (parent.content === 'map' || parent.content === 'schemas') return 'schema';
  if (parent.content !== 'schema' || name === undefined) return 'other';
  if (MAPS.has(name)) return 'map';
  return SCHEMAS.has(name) ? 'schema' : 'other';
}

/** Returns the text with an option in place of the string, and the new position of the caret. */
export function complete(
  text: string,
  { from, to, isKey }: SchemaCompletion,
  option: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(to);
  const inserted = `${option}"${isKey && !/^\s*:/u.test(rest) ? ': ' : ''}`;
  return { text: `${text.slice(0, from)}${inserted}${rest}`, caret: from + inserted.length };
}

/** Prints an object: its members, each on a line with its comment, and its other keys. Pure. */
import { isRecord } from '../../kit/is-record.ts';
import { tight, unionOf, withNotes, type PrintedType, type PrintPart } from './printed-type.ts';
import { isSimpleName, toldJson, toldPattern } from './told-text.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** A longer object has a line for each member. */
const MAX_LINE_CHARS = 72;
/** More levels are not indented further. */
const MAX_INDENTED = 8;

export function printObject(schema: Keywords, print: PrintPart, objects: number): PrintedType {
  const members = [...ownMembers(schema, print), ...otherMembers(schema, print)];
  if (members.length === 0) {
    return tight(schema['additionalProperties'] === false ? '{}' : `{ [key: string]: unknown }`);
  }
  const line = `{ ${members.map(({ text }) => text).join(', ')} }`;
  const isShort =
    line.length <= MAX_LINE_CHARS &&
    !/[\n]|\/\*/u.test(line) &&
    members.every(({ notes }) => notes.length === 0);
  if (isShort) return tight(line);
  const indent = ' '.repeat(Math.min(objects, MAX_INDENTED));
  const lines = members.map((member) => memberLine(member, `${indent} `));
  return tight(`{\n${lines.join('\n')}\n${indent}}`);
}

/** A comment follows its member, or stands before one of several lines. */
function memberLine({ text, notes }: PrintedType, indent: string): string {
  const line = `${indent}${text},`;
  if (notes.length === 0) return line;
  const comment = `// ${notes.join('; ')}`;
  return text.includes('\n') ? `${indent}${comment}\n${line}` : `${line} ${comment}`;
}

function ownMembers(schema: Keywords, print: PrintPart): readonly PrintedType[] {
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const known = Object.entries(properties).map(([name, part]): PrintedType => {
    const printed = print(part, name);
    const mark = required.has(name) ? '' : '?';
    return { ...printed, text: `${toldJson(name)}${mark}: ${printed.text}` };
  });
  const unknown = [...required].filter(
    (name) => typeof name === 'string' && !Object.hasOwn(properties, name),
  );
  return [...known, ...unknown.map((name) => tight(`${toldJson(name)}: unknown`))];
}

/** Keys that have no names in the schema. */
function otherMembers(schema: Keywords, print: PrintPart): readonly PrintedType[] {
  const { patternProperties, additionalProperties, unevaluatedProperties, propertyNames } = schema;
  const patterns = isRecord(patternProperties) ? Object.entries(patternProperties) : [];
  const rest = additionalProperties ?? unevaluatedProperties;
  return [
    ...patterns.map(([pattern, part]) =>
      keyed(`key: string /* matches ${toldPattern(pattern)} */`, print(part, '')),
    ),
    ...(isRecord(rest) || rest === true ? [keyed(keyOf(propertyNames, print), print(rest, ''))] : []),
  ];
}

function keyOf(names: unknown, print: PrintPart): string {
  if (!isRecord(names) || !isSimpleName(names)) return 'key: string';
  if (Array.isArray(names['enum'])) {
    return `key in ${unionOf(names['enum'].map((name) => tight(toldJson(name)))).text}`;
  }
  return `key: ${withNotes(print({ ...names, type: 'string' }))}`;
}

function keyed(key: string, value: PrintedType): PrintedType {
  return { ...value, text: `[${key}]: ${value.text}` };
}

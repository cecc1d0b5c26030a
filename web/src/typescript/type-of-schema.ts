/** TypeScript type of a JSON Schema. Rules without a type become tags of doc comments. Pure. */
import { asRecord, itemsOf, membersOf, type DescribedSchema } from '../json/describe-schema.ts';
import { docLines } from './doc-rules.ts';

/** Returns the declarations: the root with this name, then its definitions. */
export function typeOfSchema(name: string, schema: DescribedSchema): string {
  const root = typeName(name);
  const { $defs, definitions } = schema;
  const others = Object.entries({ ...asRecord(definitions), ...asRecord($defs) }).map(
    ([each, definition]) => [typeName(each), asRecord(definition) ?? {}] as const,
  );
  return [[root, schema] as const, ...others]
    .map(([each, node]) => declaration(each, node, root))
    .join('\n\n');
}

function declaration(name: string, schema: DescribedSchema, root: string): string {
  const type = typeOf(schema, root, '');
  const declared = type.startsWith('{') ? `interface ${name} ${type}` : `type ${name} = ${type};`;
  return `${comment(schema, '')}export ${declared}`;
}

/** Converts `bug-report` to `BugReport`. */
function typeName(name: string): string {
  const words = name
    .split(/[^\p{ID_Continue}$]+/u)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const joined = words.join('');
  return /^[\p{ID_Start}$_]/u.test(joined) ? joined : `Type${joined}`;
}

function typeOf(schema: DescribedSchema, root: string, indent: string): string {
  const { $ref, enum: choices, anyOf, oneOf, type } = schema;
  if (typeof $ref === 'string') return $ref === '#' ? root : typeName($ref.split('/').at(-1) ?? '');
  if ('const' in schema) return literal(schema['const']);
  if (Array.isArray(choices)) return union(choices.map(literal));
  const options: unknown = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(options)) return union(options.map((each) => typeOf(asRecord(each) ?? {}, root, indent)));
  const types: readonly unknown[] = Array.isArray(type) ? type : [type ?? guessed(schema)];
  return union(types.map((each) => oneType(each, schema, root, indent)));
}

function guessed(schema: DescribedSchema): string {
  if ('properties' in schema) return 'object';
  return 'items' in schema ? 'array' : 'unknown';
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function oneType(type: unknown, schema: DescribedSchema, root: string, indent: string): string {
  if (type === 'array') {
    const item = typeOf(itemsOf(schema), root, indent);
    return /[ |]/u.test(item) && !/^\{[\s\S]*\}$/u.test(item) ? `(${item})[]` : `${item}[]`;
  }
  if (type === 'object') return objectType(schema, root, indent);
  return (typeof type === 'string' ? PLAIN[type] : undefined) ?? 'unknown';
}

function objectType(schema: DescribedSchema, root: string, indent: string): string {
  const inner = `${indent}  `;
  const members = membersOf(schema).map(({ name, schema: member, isRequired }) => {
    const key = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
    return `${comment(member, inner)}${inner}${key}${isRequired ? '' : '?'}: ${typeOf(member, root, inner)};`;
  });
  const { additionalProperties: rest } = schema;
  const others = asRecord(rest);
  if (others !== undefined || (members.length === 0 && rest !== false)) {
    members.push(`${inner}[key: string]: ${typeOf(others ?? {}, root, inner)};`);
  }
  return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${indent}}`;
}

function literal(value: unknown): string {
  return JSON.stringify(value);
}

function union(types: readonly string[]): string {
  const [...different] = new Set(types);
  return different.includes('unknown') ? 'unknown' : different.join(' | ');
}

function comment(schema: DescribedSchema, indent: string): string {
  const lines = docLines(schema);
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0] ?? ''} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

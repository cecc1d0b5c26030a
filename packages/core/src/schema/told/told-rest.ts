/** Told rest: keywords that no type says, as JSON Schema in a comment. Pure. */
import { escapeJson } from './told-text.ts';
import type { ToldNames } from './told-names.ts';
import { isRecord } from '../../kit/is-record.ts';

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

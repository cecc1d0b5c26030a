/** Detection of schemas that match no value or any, and of keywords that validate one. Pure. */
import { isRecord } from '../../../kit/is-record.ts';

/** Returns true if the schema explicitly matches no value. */
export function isNever(schema: unknown): boolean {
  if (schema === false) return true;
  if (!isRecord(schema)) return false;
  const { not } = schema;
  return not === true || (isRecord(not) && Object.keys(not).length === 0);
}

/** Returns true if the schema does not restrict a value. */
export function isAnything(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).every((key) => SAYS_NOTHING.has(key)));
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(
  '$schema $id $anchor $comment $defs definitions title description default examples deprecated readOnly writeOnly nullable'.split(
    ' ',
  ),
);

/** Keywords that validate a value, except those whose form is changed. */
const ASSERTIONS: ReadonlySet<string> = new Set(
  (
    'format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems ' +
    'contains minContains maxContains propertyNames minProperties maxProperties dependencies dependentRequired dependentSchemas ' +
    'not if then else unevaluatedItems unevaluatedProperties patternProperties'
  ).split(' '),
);

/** Returns true if a keyword validates values. */
export function isAssertion(keyword: string): boolean {
  return ASSERTIONS.has(keyword);
}

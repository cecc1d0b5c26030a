/** Assertions: the keywords that validate a value. Pure. */

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

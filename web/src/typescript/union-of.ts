/** Union of schemas: literals become one `enum`, and other options `anyOf`. Pure. */
import type { DescribedSchema } from '../json/describe-schema.ts';

/** Returns the schema that accepts what any of the options accepts. */
export function jsonUnionOf(options: readonly DescribedSchema[]): DescribedSchema {
  const [only] = options;
  if (only !== undefined && options.length === 1) return only;
  const literals = options.filter((each) => 'const' in each).map((each) => each['const']);
  const others = options.filter((each) => !('const' in each));
  if (others.length === 0) return literalUnion(literals);
  return { anyOf: [...(literals.length > 0 ? [literalUnion(literals)] : []), ...others] };
}

function literalUnion(values: readonly unknown[]): DescribedSchema {
  if (values.length === 1) return { const: values[0] };
  if (values.every((value) => typeof value === 'boolean')) return { type: 'boolean' };
  const types = [...new Set(values.map((value) => typeof value))];
  return types.length === 1 ? { type: types[0], enum: values } : { enum: values };
}

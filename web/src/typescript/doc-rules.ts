/** Doc comments of fields: the description, and rules such as `@minimum 1`. Pure. */
import type { DescribedSchema } from '../json/describe-schema.ts';

const NUMBERS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
] as const;
const STRINGS = ['pattern', 'format'] as const;
const NUMERIC: ReadonlySet<string> = new Set(NUMBERS);
const TEXTUAL: ReadonlySet<string> = new Set(STRINGS);

/** Returns the keywords of a comment. `@asType integer` makes a number whole. */
export function docRules(comment: string): DescribedSchema {
  const text = comment.replaceAll('*\\/', '*/');
  const lines = text.split('\n').map((line) => line.replace(/^\s*\*?\s?/u, '').trim());
  const description = lines
    .filter((line) => !line.startsWith('@'))
    .join(' ')
    .trim();
  const tags = lines.flatMap((line): readonly (readonly [string, string | number])[] => {
    const [, name = '', value = ''] = /^@(\w+)\s+(.+)$/u.exec(line) ?? [];
    if (name === 'asType') return [['type', value]];
    if (TEXTUAL.has(name)) return [[name, value]];
    return NUMERIC.has(name) && Number.isFinite(Number(value)) ? [[name, Number(value)]] : [];
  });
  return { ...(description !== '' && { description }), ...Object.fromEntries(tags) };
}

/** Returns the lines of the comment of a schema. None if it has neither description nor rules. */
export function docLines(schema: DescribedSchema): readonly string[] {
  const { description, type } = schema;
  const words = typeof description === 'string' ? description.split('\n') : [];
  const rules = [...NUMBERS, ...STRINGS].flatMap((name) => {
    const value = schema[name];
    return typeof value === 'number' || typeof value === 'string' ? [`@${name} ${value}`] : [];
  });
  const lines = [...words, ...(type === 'integer' ? ['@asType integer'] : []), ...rules];
  // It would end the comment.
  return lines.map((line) => line.replaceAll('*/', '*\\/'));
}

/** Prints a list or a tuple. Pure. */
import { enclosed, tight, withNotes, type PrintedType, type PrintPart } from './printed-type.ts';

/** Prints the type of an array. */
export function printArray(schema: Readonly<Record<string, unknown>>, print: PrintPart): PrintedType {
  const { items, prefixItems, additionalItems } = schema;
  // Drafts before 2020-12 have a list in `items`.
  const fixed = Array.isArray(items) ? items : prefixItems;
  const rest = Array.isArray(items) ? additionalItems : items;
  if (!Array.isArray(fixed)) return tight(`${enclosed(print(rest ?? true))}[]`);
  const members = fixed.map((each: unknown) => withNotes(print(each)));
  const more = rest === false || rest === undefined ? [] : [`...${enclosed(print(rest))}[]`];
  return tight(`[${[...members, ...more].join(', ')}]`);
}

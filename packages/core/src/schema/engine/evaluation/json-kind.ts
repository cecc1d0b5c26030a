/** JSON kinds as bit flags, so that a list of types is one number. Pure. */

const NULL = 1;
const BOOLEAN = 2;
/** A number without a fraction, including `1.0`. */
export const INTEGER = 4;
/** A number with a fraction. */
export const FRACTION = 8;
export const STRING = 16;
export const ARRAY = 32;
export const OBJECT = 64;
/** Values outside JSON: `undefined`, functions, `NaN`, … */
const OTHER = 128;
export const ANY = 255;
export const NUMBER: number = INTEGER | FRACTION;

/** Names of the kinds in the keyword `type`. */
export const KINDS_BY_NAME: ReadonlyMap<unknown, number> = new Map([
  ['null', NULL],
  ['boolean', BOOLEAN],
  ['integer', INTEGER],
  ['number', NUMBER],
  ['string', STRING],
  ['array', ARRAY],
  ['object', OBJECT],
]);

export function kindOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'number':
      if (Number.isInteger(value)) return INTEGER;
      return Number.isFinite(value) ? FRACTION : OTHER;
    case 'boolean':
      return BOOLEAN;
    case 'object':
      if (value === null) return NULL;
      return Array.isArray(value) ? ARRAY : OBJECT;
    case 'undefined':
    case 'function':
    case 'symbol':
    case 'bigint':
      return OTHER;
    default:
      return OTHER;
  }
}

/** Renders kinds for a message: `string or null`. */
export function describeKinds(kinds: number): string {
  const names: string[] = [];
  for (const [name, bits] of KINDS_BY_NAME) {
    if (name === 'integer' && (kinds & NUMBER) === NUMBER) continue;
    if ((kinds & bits) === bits) names.push(String(name));
  }
  const last = names.pop() ?? 'nothing';
  return names.length === 0 ? last : `${names.join(', ')} or ${last}`;
}

/** Renders the kind of a value for a message. */
export function describeKind(value: unknown): string {
  const kind = kindOf(value);
  if (kind === OTHER) return typeof value === 'number' ? String(value) : typeof value;
  return (kind & NUMBER) === 0 ? describeKinds(kind) : 'number';
}

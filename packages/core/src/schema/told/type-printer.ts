/**
 * Type printer: one schema as a type in TypeScript's notation. Keywords without a type notation are in comments.
 * Each part is printed once, and a named one where it is named. Pure.
 */
import { isRecord } from '../../kit/is-record.ts';
import { printObject } from './print-object.ts';
import {
  intersectionOf,
  tight,
  unionOf,
  type PrintedType,
  type PrintPart,
  enclosed,
  withNotes,
} from './printed-type.ts';
import { clausesOf, descriptionOf } from './told-notes.ts';
import type { ToldNames } from './told-names.ts';
import { jsonSchemaClause, restOf, toldJson } from './told-text.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** Deeper parts are written as JSON Schema. */
const MAX_DEPTH = 40;

/** A shorter description is printed wherever it occurs. */
const MIN_REPEATED_CHARS = 40;

/** Position of a part. */
interface Place {
  readonly depth: number;
  /** Objects around it. */
  readonly objects: number;
}

export class TypePrinter {
  /** True if an object was printed that allows no other keys. */
  isClosed = false;
  readonly #names: ToldNames;
  /** Parts that are being printed. A reference to one of them is a circle, so it gets a name. */
  readonly #open = new Set<Keywords>();
  /** Descriptions that were written, with their keys. */
  readonly #words = new Set<string>();
  #left: number;

  /** @param maxParts - number of parts after which each one is told as JSON Schema */
  constructor(names: ToldNames, maxParts: number) {
    this.#names = names;
    this.#left = maxParts;
  }

  print(schema: unknown, { depth, objects }: Place = { depth: 0, objects: 0 }, name?: string): PrintedType {
    this.#left -= 1;
    if (schema === false) return tight('never');
    if (!isRecord(schema)) return tight('unknown');
    if (depth > MAX_DEPTH || this.#left < 0) {
      return { ...tight('unknown'), notes: [jsonSchemaClause(schema, this.#names)] };
    }
    this.#open.add(schema);
    const inner: PrintPart = (part, key) =>
      this.print(part, { depth: depth + 1, objects: objects + Number(key !== undefined) }, key);
    const parts = this.#partsOf(schema, objects, inner);
    this.#open.delete(schema);
    const notes = [...restOf(schema, this.#names), ...clausesOf(schema), ...this.#newWords(schema, name)];
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return { ...only, notes: [...only.notes, ...notes] };
    return { ...intersectionOf(parts), notes };
  }

  /** A description is printed once, because libraries repeat that of a type wherever it is used. */
  #newWords(schema: Keywords, name: string = ''): readonly string[] {
    const words = descriptionOf(schema, name);
    const isKnown = this.#words.has(`${name}: ${words}`);
    if (words.length >= MIN_REPEATED_CHARS) this.#words.add(`${name}: ${words}`);
    return words === '' || isKnown ? [] : [words];
  }

  #partsOf(schema: Keywords, objects: number, inner: PrintPart): readonly PrintedType[] {
    const { $ref: reference, allOf, anyOf, oneOf } = schema;
    const target = typeof reference === 'string' ? this.#names.find(reference) : undefined;
    const others = [
      ...(target === undefined ? [] : [this.#refer(String(reference), target, inner)]),
      ...(Array.isArray(allOf) ? allOf.map((part: unknown) => inner(part)) : []),
      ...[anyOf, oneOf].flatMap((branches) =>
        Array.isArray(branches) ? [unionOf(branches.map((part: unknown) => inner(part)))] : [],
      ),
    ].filter(({ text, notes }) => text !== 'unknown' || notes.length > 0);
    const own = this.#own(schema, objects, inner, others.length > 0);
    return own === undefined ? others : [own, ...others];
  }

  /** Undefined if the other parts say more than the type of this one. */
  #own(schema: Keywords, objects: number, inner: PrintPart, hasOthers: boolean): PrintedType | undefined {
    if (schema['const'] !== undefined) return tight(toldJson(schema['const']));
    const { enum: values } = schema;
    if (Array.isArray(values)) return unionOf(values.map((value) => tight(toldJson(value))));
    const types = typesOf(schema);
    const isBare = !SHAPE.some((keyword) => schema[keyword] !== undefined);
    if (hasOthers && (isBare || types.length === 0)) return undefined;
    if (types.length === 0) return tight('unknown');
    return unionOf(types.map((type) => this.#typed(type, schema, objects, inner)));
  }

  #typed(type: unknown, schema: Keywords, objects: number, inner: PrintPart): PrintedType {
    if (type === 'array') return printArray(schema, inner);
    if (type !== 'object') return tight(NAMES.get(type) ?? 'unknown');
    this.isClosed ||= schema['additionalProperties'] === false || schema['unevaluatedProperties'] === false;
    return printObject(schema, inner, objects);
  }

  #refer(reference: string, target: unknown, inner: PrintPart): PrintedType {
    if (!isRecord(target)) return inner(target);
    if (!this.#open.has(target) && this.#names.isInPlace(reference, target)) return inner(target);
    return tight(this.#names.nameOf(reference, target));
  }
}

const NAMES: ReadonlyMap<unknown, string> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
]);

/** Keywords with which a type says more than its name. */
const SHAPE = ['properties', 'required', 'additionalProperties', 'patternProperties', 'items', 'prefixItems'];

/** Keywords that apply to values of one type only. */
const KEYWORDS_OF: readonly (readonly [type: string, keywords: RegExp])[] = [
  [
    'object',
    /^(?:properties|required|additionalProperties|patternProperties|propertyNames|m(?:in|ax)Properties)$/u,
  ],
  ['array', /^(?:items|prefixItems|contains|uniqueItems|m(?:in|ax)Items)$/u],
  ['string', /^(?:pattern|format|m(?:in|ax)Length)$/u],
  ['number', /^(?:multipleOf|(?:exclusiveM|m)(?:in|ax)imum)$/u],
];

/** Returns the types that a schema states, else the one that its keywords are about. */
function typesOf(schema: Keywords): readonly unknown[] {
  const { type } = schema;
  if (type !== undefined) return Array.isArray(type) ? type : [type];
  const found = KEYWORDS_OF.filter(([, keywords]) => Object.keys(schema).some((each) => keywords.test(each)));
  return found.length === 1 ? found.map(([name]) => name) : found.length === 0 ? [] : ['unknown'];
}

function printArray(schema: Readonly<Record<string, unknown>>, print: PrintPart): PrintedType {
  const { items, prefixItems, additionalItems } = schema;
  // Drafts before 2020-12 have a list in `items`.
  const fixed = Array.isArray(items) ? items : prefixItems;
  const rest = Array.isArray(items) ? additionalItems : items;
  if (!Array.isArray(fixed)) return tight(`${enclosed(print(rest ?? true))}[]`);
  const members = fixed.map((each: unknown) => withNotes(print(each)));
  const more = rest === false || rest === undefined ? [] : [`...${enclosed(print(rest))}[]`];
  return tight(`[${[...members, ...more].join(', ')}]`);
}

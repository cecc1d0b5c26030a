/**
 * Seeded generator of values for a schema: mostly valid ones, and ones with one change. An oracle
 * decides their validity. Pure.
 */
import { seededRandom, type SeededRandom } from './seeded-random.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** Strings that are tried against a pattern. */
const TEXTS = [
  'a',
  'name',
  'com.example.app',
  '1.0.0',
  '1',
  '3.0.0',
  'https://example.test/a',
  '2026-01-01',
  'a@b.test',
  'x-a',
  '/a',
  '200',
  '#ffffff',
  'A',
  '0x00',
  'a/b',
];

/** Below this depth, only required properties are generated. */
const MAX_FULL_DEPTH = 4;
const MAX_DEPTH = 12;

/** Returns a value that is probably valid. */
export function generateValue(schema: unknown, seed: number): unknown {
  return new Generator(schema, seededRandom(seed)).make(schema, 0);
}

/** Returns the value with one change, probably no longer valid. */
export function mutateValue(value: unknown, seed: number): unknown {
  const random = seededRandom(seed);
  const copy: unknown = structuredClone(value);
  const places: { readonly holder: object; readonly key: string }[] = [];
  const visit = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return;
    for (const [key, member] of Object.entries(holder)) {
      places.push({ holder, key });
      visit(member);
    }
  };
  visit(copy);
  const place = random.pick(places);
  if (place === undefined) return typeof copy === 'object' ? 'no object' : {};
  const kind = random.next();
  if (kind < 0.35) Reflect.deleteProperty(place.holder, place.key);
  else if (kind < 0.85) {
    Reflect.set(place.holder, place.key, random.pick([17.5, 'changed', null, [1], { changed: 1 }]));
  } else Reflect.set(place.holder, Array.isArray(place.holder) ? place.key : 'unheard of', 'changed');
  return copy;
}

class Generator {
  private readonly root: unknown;
  private readonly random: SeededRandom;

  constructor(root: unknown, random: SeededRandom) {
    this.root = root;
    this.random = random;
  }

  make(schema: unknown, depth: number): unknown {
    if (!isKeywords(schema) || depth > MAX_DEPTH) return 'any';
    const { $ref, allOf, anyOf, oneOf, examples } = schema;
    if ('const' in schema) return schema['const'];
    if (Array.isArray(schema['enum'])) return this.random.pick(schema['enum'] as unknown[]);
    if (Array.isArray(examples) && this.random.next() < 0.5) return this.random.pick(examples as unknown[]);
    const parts: unknown[] = [];
    if (typeof $ref === 'string') parts.push(this.make(this.follow($ref), depth + 1));
    if (Array.isArray(allOf)) parts.push(...allOf.map((part) => this.make(part, depth + 1)));
    for (const choice of [anyOf, oneOf]) {
      if (Array.isArray(choice)) parts.push(this.make(this.random.pick(choice as unknown[]), depth + 1));
    }
    if (parts.length === 0 || this.typeOf(schema) === 'object') parts.push(this.makeOwn(schema, depth));
    return parts.every((part) => isKeywords(part)) ? Object.assign({}, ...parts) : parts[0];
  }

  private makeOwn(schema: Keywords, depth: number): unknown {
    switch (this.typeOf(schema)) {
      case 'object':
        return this.makeObject(schema, depth);
      case 'array':
        return this.makeArray(schema, depth);
      case 'integer':
      case 'number':
        return Number(schema['minimum'] ?? schema['maximum'] ?? 3);
      case 'boolean':
        return this.random.next() < 0.5;
      case 'null':
        return null;
      default:
        return this.makeText(schema);
    }
  }

  private makeObject(schema: Keywords, depth: number): unknown {
    const properties = isKeywords(schema['properties']) ? schema['properties'] : {};
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
    const names = new Set(required.map(String));
    for (const name of Object.keys(properties)) {
      if (depth < MAX_FULL_DEPTH && this.random.next() < 0.4) names.add(name);
    }
    const entries = [...names].map((name): [string, unknown] => [
      name,
      this.make(
        Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties'],
        depth + 1,
      ),
    ]);
    return Object.fromEntries(entries);
  }

  private makeArray({ items, minItems, prefixItems }: Keywords, depth: number): unknown {
    const prefix: readonly unknown[] = Array.isArray(items)
      ? items
      : Array.isArray(prefixItems)
        ? prefixItems
        : [];
    const length = Math.max(Number(minItems ?? 0), prefix.length, depth < MAX_FULL_DEPTH ? 1 : 0);
    return Array.from({ length }, (_, index) => this.make(prefix[index] ?? items, depth + 1));
  }

  private makeText({ pattern, minLength }: Keywords): string {
    const length = Number(minLength ?? 0);
    const fits = (text: string): boolean =>
      text.length >= length && (typeof pattern !== 'string' || new RegExp(pattern).test(text));
    return TEXTS.find((text) => fits(text)) ?? 'a'.repeat(length);
  }

  private typeOf({ type, properties, required, items, additionalProperties }: Keywords): unknown {
    if (type !== undefined) return Array.isArray(type) ? type[0] : type;
    if (properties !== undefined || required !== undefined || additionalProperties !== undefined) {
      return 'object';
    }
    return items === undefined ? undefined : 'array';
  }

  private follow(reference: string): unknown {
    if (reference === '#') return this.root;
    let found: unknown = this.root;
    for (const token of reference.split('/').slice(1)) {
      const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
      found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
    }
    return found;
  }
}

function isKeywords(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

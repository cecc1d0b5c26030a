/**
 * Weak writer: values that the grammar of an engine allows, with the numbers and words of the prompt, as a
 * small model writes them. It knows nothing of what the grammar does not hold. Pure.
 */
import { isRecord } from '../../../packages/core/src/kit/is-record.ts';
import type { JsonValue } from '../../../packages/core/src/kit/json-value.ts';
import { seededRandom, type SeededRandom } from '../../../bench/inputs/seeded-random.ts';
import { writePattern } from './write-pattern.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** A grammar, and what the writer copies from. */
export interface Writing {
  readonly schema: unknown;
  /** Text whose words and numbers are copied. */
  readonly prompt: string;
  readonly seed: number;
}

/** Items and keys beyond those that a schema requires. */
const MORE = 3;
/** Below this depth, a recursion takes its shortest form. */
const MAX_DEPTH = 6;
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  date: ['2026-05-14', '2024-02-29'],
  time: ['15:30:00Z', '08:05:59.5Z'],
  'date-time': ['2026-12-01T08:00:00Z', '2026-05-14T15:30:00.25Z'],
  uuid: ['9b2e7a44-6f0c-4c1e-9d53-0a4be1f3c7d2'],
};

/** Writes a value. Equal seeds write equal values. */
export function writeWeakly({ schema, prompt, seed }: Writing): JsonValue {
  const words = prompt.match(/[A-Za-z]{2,}/gu) ?? ['note'];
  const pieces = prompt.split(/\s+/u).map((piece) => piece.replace(/[.,:;]$/u, ''));
  // The writer sees a number with separators as its parts, as a tokenizer does.
  const numbers = [...(prompt.match(/\d+/gu) ?? []).map(Number), 0, 0.5, 1];
  return new Writer(schema, { pieces, words, numbers, random: seededRandom(seed) }).write(schema, 0);
}

interface Sources {
  /** Parts of the prompt between spaces, without a mark at their end. */
  readonly pieces: readonly string[];
  readonly words: readonly string[];
  readonly numbers: readonly number[];
  readonly random: SeededRandom;
}

class Writer {
  readonly #root: unknown;
  readonly #sources: Sources;

  constructor(root: unknown, sources: Sources) {
    this.#root = root;
    this.#sources = sources;
  }

  write(schema: unknown, depth: number): JsonValue {
    if (!isRecord(schema)) return this.#text({});
    if ('const' in schema) return schema['const'] as JsonValue;
    if (Array.isArray(schema['enum'])) return this.#pick(schema['enum'] as JsonValue[]) ?? null;
    const options = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as readonly unknown[] | undefined;
    if (options !== undefined) return this.write(this.#pick(options), depth);
    if (typeof schema['$ref'] === 'string') return this.write(this.#target(schema['$ref']), depth + 1);
    const { type } = schema;
    switch (Array.isArray(type) ? this.#pick(type as unknown[]) : type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#list(schema, depth);
      case 'integer':
        return this.#number(schema, Math.round);
      case 'number':
        return this.#number(schema, (value) => value);
      case 'boolean':
        return this.#sources.random.next() < 0.5;
      case 'null':
        return null;
      default:
        return this.#text(schema);
    }
  }

  #object({ properties, required, additionalProperties: rest }: Keywords, depth: number): JsonValue {
    const needed = new Set(Array.isArray(required) ? required : []);
    const own = Object.entries(isRecord(properties) ? properties : {}).filter(
      ([key]) => needed.has(key) || (depth < MAX_DEPTH && this.#count(0, 1) === 1),
    );
    const more = isRecord(rest) && depth < MAX_DEPTH ? this.#count(1, MORE) : 0;
    const free = Array.from(
      { length: more },
      () => [this.#pick(this.#sources.words) ?? 'key', rest] as const,
    );
    return Object.fromEntries([...own, ...free].map(([key, each]) => [key, this.write(each, depth + 1)]));
  }

  #list({ items, prefixItems, minItems, maxItems }: Keywords, depth: number): JsonValue {
    const fixed: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
    const least = Math.max(numberOr(minItems, 0), fixed.length);
    const most = items === false ? fixed.length : Math.min(numberOr(maxItems, Infinity), least + MORE);
    const length = depth < MAX_DEPTH ? this.#count(least, most) : least;
    return Array.from({ length }, (_, at) => this.write(fixed[at] ?? items, depth + 1));
  }

  /** A number of the prompt that the grammar allows, else one of its bounds. */
  #number({ minimum, maximum }: Keywords, form: (value: number) => number): number {
    const [least, most] = [numberOr(minimum, -Infinity), numberOr(maximum, Infinity)];
    const fitting = this.#sources.numbers.map(form).filter((each) => each >= least && each <= most);
    return this.#pick(fitting) ?? (Number.isFinite(least) ? least : Math.min(most, 0));
  }

  #text({ pattern, format, minLength, maxLength }: Keywords): string {
    const { random, words } = this.#sources;
    if (typeof pattern === 'string') {
      const test = new RegExp(pattern, 'u');
      return (
        this.#pick(this.#sources.pieces.filter((piece) => test.test(piece))) ?? writePattern(pattern, random)
      );
    }
    const known = typeof format === 'string' ? FORMATS[format] : undefined;
    if (known !== undefined) return this.#pick(known) ?? '';
    const most = numberOr(maxLength, 80);
    const text = Array.from({ length: this.#count(1, 12) }, () => this.#pick(words)).join(' ');
    const filled = text.padEnd(numberOr(minLength, 0), ` ${words[0] ?? ''}`);
    return filled.slice(0, Math.max(most, numberOr(minLength, 0)));
  }

  #count(least: number, most: number): number {
    return least + Math.floor(this.#sources.random.next() * (Math.max(most, least) - least + 1));
  }

  #pick<TItem>(items: readonly TItem[]): TItem | undefined {
    return this.#sources.random.pick(items);
  }

  #target(reference: string): unknown {
    const path = reference === '#' ? [] : reference.replace(/^#\//u, '').split('/');
    return path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), this.#root);
  }
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

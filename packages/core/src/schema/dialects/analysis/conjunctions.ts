/**
 * Conjunctions: one schema object for each set of schemas that must all match, so that a repeated
 * merge is recognized. Pure.
 */
import type { WorkMeter } from '../../work/work-budget.ts';
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject } from './schema-place.ts';

/** Interns `{ allOf: […] }` by the set of the members. */
export class Conjunctions {
  readonly #work: WorkMeter;
  readonly #ids = new Map<object, number>();
  readonly #idsByText = new Map<string, number>();
  readonly #membersOf = new Map<object, readonly SchemaObject[]>();
  readonly #known = new Map<string, SchemaObject>();
  /** Objects of the original document: equal ones count as one. */
  readonly #isOriginal: (schema: object) => boolean;

  constructor(work: WorkMeter, isOriginal: (schema: object) => boolean) {
    this.#work = work;
    this.#isOriginal = isOriginal;
  }

  /** Returns the schema that requires both: the same object for the same members. */
  join(first: unknown, second: unknown): unknown {
    if (first === false || second === false) return false;
    if (!isRecord(first)) return second;
    if (!isRecord(second)) return first;
    const members = new Map<number, SchemaObject>();
    for (const member of [...this.#split(first), ...this.#split(second)]) {
      const id = this.#idOf(member);
      if (!members.has(id)) members.set(id, member);
    }
    this.#work.spend(4 + members.size);
    const [only] = members.values();
    if (members.size === 1) return only;
    const key = [...members.keys()].toSorted((one, other) => one - other).join(',');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const list = [...members.values()];
    const joined = { allOf: list };
    this.#membersOf.set(joined, list);
    this.#known.set(key, joined);
    return joined;
  }

  #split(schema: SchemaObject): readonly SchemaObject[] {
    return this.#membersOf.get(schema) ?? [schema];
  }

  #idOf(schema: SchemaObject): number {
    const known = this.#ids.get(schema);
    if (known !== undefined) return known;
    const id = this.#isOriginal(schema) ? this.#idByText(schema) : this.#ids.size;
    this.#ids.set(schema, id);
    return id;
  }

  #idByText(schema: SchemaObject): number {
    const text = JSON.stringify(schema);
    this.#work.spend(text.length >> 4);
    const id = this.#idsByText.get(text) ?? this.#ids.size;
    this.#idsByText.set(text, id);
    return id;
  }
}

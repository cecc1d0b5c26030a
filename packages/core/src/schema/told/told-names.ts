/**
 * Told names: which parts of a schema have a name of their own in its type. A part that is referred to
 * once is printed in place. Pure.
 */
import { isRecord } from '../../kit/is-record.ts';
import { ReferenceIndex } from '../dialects/analysis/reference-index.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** Names that a type has already. */
const TAKEN = ['string', 'number', 'boolean', 'null', 'unknown', 'never', 'true', 'false'];
const ROOT_NAME = 'Answer';

/** A named part that was referred to and is not printed yet. */
export interface NamedPart {
  readonly name: string;
  readonly schema: Keywords;
}

/** Names of one schema. Parts get theirs in the order of their first reference. */
export class ToldNames {
  readonly #references: ReferenceIndex;
  readonly #root: unknown;
  /** How often each reference is written. */
  readonly #uses: ReadonlyMap<string, number>;
  readonly #names = new Map<Keywords, string>();
  readonly #taken = new Set(TAKEN);
  /** The last number behind each word. */
  readonly #numbers = new Map<string, number>();
  readonly #waiting: NamedPart[] = [];
  #printed = 0;

  constructor(root: unknown) {
    this.#root = root;
    this.#references = new ReferenceIndex(root);
    this.#uses = countReferences(root);
  }

  /** Returns the target of a reference, or undefined. */
  find(reference: string): unknown {
    return this.#references.find(reference)?.schema;
  }

  /** Returns true if a part is printed at the only reference to it. */
  isInPlace(reference: string, schema: Keywords): boolean {
    const isDefinition = /^#\/(?:\$defs|definitions)\/[^/]+$/u.test(reference);
    return isDefinition && this.#uses.get(reference) === 1 && !this.#names.has(schema);
  }

  /** Returns the name of a part, which will be printed once. */
  nameOf(reference: string, schema: Keywords): string {
    const known = this.#names.get(schema);
    if (known !== undefined) return known;
    const name = this.#free(schema === this.#root ? ROOT_NAME : wordOf(reference));
    this.#names.set(schema, name);
    if (schema !== this.#root) this.#waiting.push({ name, schema });
    return name;
  }

  /** The name of the whole, if a part refers to it. */
  get rootName(): string | undefined {
    return isRecord(this.#root) ? this.#names.get(this.#root) : undefined;
  }

  /** Takes the next named part that is to be printed. */
  take(): NamedPart | undefined {
    this.#printed += 1;
    return this.#waiting[this.#printed - 1];
  }

  #free(word: string): string {
    let count = this.#numbers.get(word) ?? 1;
    let name = count === 1 ? word : `${word}${count}`;
    for (; this.#taken.has(name); name = `${word}${count}`) count += 1;
    this.#numbers.set(word, count);
    this.#taken.add(name);
    return name;
  }
}

/** Characters of a name that is printed. A longer one is only distinguished by its number. */
const MAX_NAME_CHARS = 60;

/** Returns the last part of a reference as an identifier. */
function wordOf(reference: string): string {
  const last = reference.split(/[/#]/u).at(-1) ?? '';
  const word = last.replaceAll(/[^\p{ID_Continue}$]+/gu, '_').slice(0, MAX_NAME_CHARS);
  return /^[\p{ID_Start}$_]/u.test(word) ? word : `Type${word}`;
}

/** Walks the whole document, unused definitions too. */
function countReferences(root: unknown): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const open: unknown[] = [root];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null) continue;
    for (const [key, value] of Object.entries(part)) {
      if (key === '$ref' && typeof value === 'string') uses.set(value, (uses.get(value) ?? 0) + 1);
      else if (value !== undefined) open.push(value);
    }
  }
  return uses;
}

/**
 * Builds a value while it is parsed, for previews: keys appear with their value, strings grow,
 * scalars appear complete. Pure.
 */
import type { JsonValue } from '../../kit/json-value.ts';

/** Receives the parsed tokens in order; strings in pieces. */
export interface JsonSink {
  beginContainer(isObject: boolean): void;
  endContainer(): void;
  beginString(isKey: boolean): void;
  stringPiece(text: string): void;
  endString(): void;
  scalar(value: number | boolean | null): void;
}

/** A value under construction. */
export interface PartialBuilder extends JsonSink {
  /** The value so far: always the same, growing object. */
  readonly value: JsonValue | undefined;
}

/** Deeper parts are left out, so that every copy and every serializer can walk a preview. */
const MAX_DEPTH = 500;

type Container = JsonValue[] | { [key: string]: JsonValue };

/** A wider object is refused when it ends. Until then, its growth would block the event loop. */
const MAX_MEMBERS = 100_000;

interface OpenContainer {
  readonly container: Container;
  key: string;
  members: number;
}

/** Creates a builder. Each piece costs constant work. */
export function createPartialBuilder(): PartialBuilder {
  return new Builder();
}

/** A class: the getter of a literal would keep the reply in memory until a full collection. */
class Builder implements PartialBuilder {
  readonly #stack: OpenContainer[] = [];
  #root: JsonValue | undefined;
  #string = '';
  #isKey = false;

  get value(): JsonValue | undefined {
    return this.#root;
  }

  beginContainer(isObject: boolean): void {
    const container: Container = isObject ? {} : [];
    this.#put(container);
    this.#stack.push({ container, key: '', members: 0 });
  }

  endContainer(): void {
    this.#stack.pop();
  }

  beginString(isKey: boolean): void {
    this.#string = '';
    this.#isKey = isKey;
    if (!isKey) this.#put('');
  }

  stringPiece(text: string): void {
    this.#string += text;
    if (!this.#isKey) this.#put(this.#string, false);
  }

  endString(): void {
    const top = this.#stack.at(-1);
    if (this.#isKey && top !== undefined) top.key = this.#string;
  }

  scalar(value: number | boolean | null): void {
    this.#put(value);
  }

  #put(value: JsonValue, isNew: boolean = true): void {
    if (this.#stack.length > MAX_DEPTH) return;
    const top = this.#stack.at(-1);
    if (top !== undefined && isNew) top.members += 1;
    if (top === undefined) this.#root = value;
    else if (Array.isArray(top.container)) top.container.splice(isNew ? top.container.length : -1, 1, value);
    else if (top.members <= MAX_MEMBERS) setOwn(top.container, top.key, value);
  }
}

/** Returns a copy that shares nothing with `value`, whose depth is bounded. */
export function copyJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  const copy: { [key: string]: JsonValue } = {};
  for (const [key, item] of Object.entries(value)) setOwn(copy, key, copyJson(item));
  return copy;
}

/** Assigning to `__proto__` would change the prototype instead of creating a key. */
export function setOwn<TValue>(target: { [key: string]: TValue }, key: string, value: TValue): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Builds a value while it is parsed, for previews: keys appear with their value, strings grow,
 * scalars appear complete. Pure.
 */
import type { JsonValue } from '../../schema/json-value.ts';

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
export interface PartialBuilder {
  readonly sink: JsonSink;
  /** The value so far: always the same, growing object. */
  readonly value: JsonValue | undefined;
}

/** Deeper parts are left out, so that every copy and every serializer can walk a preview. */
const MAX_DEPTH = 500;

type Container = JsonValue[] | { [key: string]: JsonValue };

/** A wider object is refused when it ends. Until then, its growth would block the event loop. */
const MAX_MEMBERS = 100_000;

/** Creates a builder. Each piece costs constant work. */
export function createPartialBuilder(): PartialBuilder {
  const stack: { readonly container: Container; key: string; members: number }[] = [];
  let root: JsonValue | undefined;
  let string = '';
  let isKey = false;

  function put(value: JsonValue, isNew: boolean = true): void {
    if (stack.length > MAX_DEPTH) return;
    const top = stack.at(-1);
    if (top !== undefined && isNew) top.members += 1;
    if (top === undefined) root = value;
    else if (Array.isArray(top.container)) top.container.splice(isNew ? top.container.length : -1, 1, value);
    else if (top.members <= MAX_MEMBERS) setOwn(top.container, top.key, value);
  }

  return {
    get value() {
      return root;
    },
    sink: {
      beginContainer(isObject) {
        const container: Container = isObject ? {} : [];
        put(container);
        stack.push({ container, key: '', members: 0 });
      },
      endContainer() {
        stack.pop();
      },
      beginString(asKey) {
        string = '';
        isKey = asKey;
        if (!asKey) put('');
      },
      stringPiece(text) {
        string += text;
        if (!isKey) put(string, false);
      },
      endString() {
        const top = stack.at(-1);
        if (isKey && top !== undefined) top.key = string;
      },
      scalar: (value) => put(value),
    },
  };
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

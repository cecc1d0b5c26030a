/** Place in JSON text: the path of a value, while `walkJson()` passes it. Pure. */

/** Position of a walk: keys and indexes by depth. */
export class TextPlace {
  readonly #keys: (string | number)[] = [];
  readonly #isList: boolean[] = [];
  readonly #keysOf = new WeakMap<object, Set<string>>();

  /** Start of a value inside `depth` containers. */
  value(depth: number, isList: boolean): void {
    if (this.#isList[depth - 1] === true) this.#keys[depth - 1] = Number(this.#keys[depth - 1]) + 1;
    this.#isList[depth] = isList;
    this.#keys[depth] = -1;
  }

  /** Returns true if the object already had the key. */
  key(key: string, depth: number, object: object): boolean {
    const keys = this.#keysOf.get(object) ?? new Set();
    this.#keysOf.set(object, keys);
    this.#keys[depth - 1] = key;
    return keys.size === keys.add(key).size;
  }

  /** Path of the value that began last inside `depth` containers. */
  pathAt(depth: number): readonly (string | number)[] {
    return this.#keys.slice(0, depth);
  }
}

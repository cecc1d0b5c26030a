/** Owns remembering in which containers a reader stands, one byte a level, however deep. Pure. */

/** A stack of objects and arrays. */
export interface ContainerStack {
  readonly depth: number;
  push(isObject: boolean): void;
  /** Tells whether the innermost container is an object; false at the top level. */
  isInObject(): boolean;
  pop(): void;
}

const FIRST_CAPACITY = 64;

/** Makes an empty stack. */
export function createContainerStack(): ContainerStack {
  let levels = new Uint8Array(FIRST_CAPACITY);
  let depth = 0;
  return {
    get depth() {
      return depth;
    },
    push(isObject) {
      if (depth === levels.length) {
        const larger = new Uint8Array(levels.length * 2);
        larger.set(levels);
        levels = larger;
      }
      levels[depth] = isObject ? 1 : 0;
      depth += 1;
    },
    isInObject: () => depth > 0 && levels[depth - 1] === 1,
    pop() {
      depth -= 1;
    },
  };
}

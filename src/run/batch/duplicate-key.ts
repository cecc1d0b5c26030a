/** Owns finding a key that an object of a JSON text names twice, which `JSON.parse` hides. Pure. */

/** One object or array that is open. */
interface Open {
  /** Undefined in an array. */
  readonly keys: Set<string> | undefined;
  /** True where a string would be a key. */
  expectsKey: boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/gu;

/** Returns the first key that stands twice in one object, at any depth. The text must be valid JSON. */
export function findDuplicateKey(json: string): string | undefined {
  const open: Open[] = [];
  for (const [token] of json.matchAll(TOKEN)) {
    const inner = open.at(-1);
    if (token === '{') open.push({ keys: new Set(), expectsKey: true });
    else if (token === '[') open.push({ keys: undefined, expectsKey: false });
    else if (token === '}' || token === ']') open.pop();
    else if (inner?.keys === undefined) continue;
    else if (token === ',') inner.expectsKey = true;
    else if (inner.expectsKey) {
      // `"a"` and `"\u0061"` are one key.
      const key = String(JSON.parse(token));
      if (inner.keys.has(key)) return key;
      inner.keys.add(key);
      inner.expectsKey = false;
    }
  }
  return undefined;
}

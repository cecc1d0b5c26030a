/** Detection of duplicate keys in JSON objects, which `JSON.parse` ignores. Pure. */

/** An open object or array. */
interface Open {
  /** Undefined in an array. */
  readonly keys: Set<string> | undefined;
  /** True if the next string is a key. */
  expectsKey: boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/gu;

/** Returns the first duplicate key of an object, at any depth. The text must be valid JSON. */
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
      // `"a"` and `"\u0061"` are the same key.
      const key = String(JSON.parse(token));
      if (inner.keys.has(key)) return key;
      inner.keys.add(key);
      inner.expectsKey = false;
    }
  }
  return undefined;
}

/** Owns turning the text of an answer into a value: `JSON.parse`, nothing more tolerant, and no key that could reach a prototype. Pure. */
import { describeJsonError } from './describe-json-error.ts';
import { showPath } from './show-path.ts';

/** A value, or what is wrong with the text and where. */
export type ParsedJson =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly cause: unknown; readonly reason: string };

/** Reads JSON that was trimmed and unwrapped. Never throws, whatever the text. */
export function parseJson(text: string): ParsedJson {
  try {
    return refuseDangerousKeys(JSON.parse(text), text);
  } catch (cause) {
    return { success: false, cause, reason: describeJsonError(text) };
  }
}

/** Refuses a value, whose JSON is `text`, that has the key `__proto__` anywhere, or `constructor` holding `prototype`. */
export function refuseDangerousKeys(value: unknown, text: string): ParsedJson {
  const path = mayHoldDangerousKey(text) ? findDangerousKey(value) : undefined;
  if (path === undefined) return { success: true, value };
  const reason = `the key \`${showPath(path)}\` could reach a prototype`;
  return { success: false, cause: new SyntaxError(`Refused JSON: ${reason}`), reason };
}

/** Most answers hold none of these, and need no walk. */
function mayHoldDangerousKey(text: string): boolean {
  return text.includes('__proto__') || text.includes('constructor') || text.includes(String.raw`\u`);
}

type Path = (string | number)[];

interface Visit {
  readonly value: object;
  readonly parent: Visit | undefined;
  readonly key: string | number;
}

/** Walks without recursion, since JSON may be nested deeper than a stack. Returns the path of a dangerous key. */
function findDangerousKey(root: unknown): Path | undefined {
  if (typeof root !== 'object' || root === null) return undefined;
  const visits: Visit[] = [{ value: root, parent: undefined, key: '' }];
  // A value that a route brought need not come from JSON: it may hold itself.
  const seen = new Set<object>([root]);
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
    for (const [key, value] of childrenOf(visit.value)) {
      if (key === '__proto__') return pathOf(visit, key);
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      if (key === 'constructor' && Object.hasOwn(value, 'prototype'))
        return [...pathOf(visit, key), 'prototype'];
      seen.add(value);
      visits.push({ value, parent: visit, key });
    }
  }
  return undefined;
}

function childrenOf(value: object): Iterable<[string | number, unknown]> {
  return Array.isArray(value) ? value.entries() : Object.entries(value);
}

function pathOf(visit: Visit, key: string): Path {
  const path: Path = [key];
  for (let at: Visit | undefined = visit; at?.parent !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

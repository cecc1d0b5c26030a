/** Bounded JSON parser: strict `JSON.parse`, without keys that could reach a prototype. Pure. */
import { cut } from '../../errors/base/describe-value.ts';
import { findJsonExcess, type JsonExcess } from './json-bounds.ts';
import { showPath } from './show-path.ts';

/** Why a text is not parsed. */
export type ParseProblem = JsonExcess['code'] | 'syntax' | 'prototype-key';

/** A value, or the reason for its absence. */
export type ParsedJson =
  | { readonly success: true; readonly value: unknown }
  | {
      readonly success: false;
      readonly code: ParseProblem;
      readonly cause: unknown;
      readonly reason: string;
    };

/**
 * Parses JSON from a program. Never throws for any text.
 *
 * The reason of a syntax error is the engine's message. Use `parseJson` for the text of a model,
 * which needs the exact location to correct it.
 */
export function parseBoundedJson(text: string): ParsedJson {
  const excess = findJsonExcess(text);
  if (excess !== undefined)
    return { success: false, ...excess, cause: new SyntaxError(`Refused JSON: ${excess.reason}`) };
  try {
    return refuseDangerousKeys(JSON.parse(text), text);
  } catch (cause) {
    return {
      success: false,
      code: 'syntax',
      cause,
      reason: cut(cause instanceof Error ? cause.message : String(cause)),
    };
  }
}

/**
 * Rejects a value, parsed from `text`, that has the key `__proto__` anywhere, or `constructor` that
 * contains `prototype`.
 */
export function refuseDangerousKeys(value: unknown, text: string): ParsedJson {
  const path = mayHoldDangerousKey(text) ? findDangerousKey(value) : undefined;
  if (path === undefined) return { success: true, value };
  const reason = `the key \`${showPath(path)}\` could reach a prototype`;
  return { success: false, code: 'prototype-key', cause: new SyntaxError(`Refused JSON: ${reason}`), reason };
}

/** Returns true if a value has a key that `refuseDangerousKeys` rejects. */
export function hasDangerousKey(value: unknown): boolean {
  return findDangerousKey(value) !== undefined;
}

/** Most answers contain none of these, and need no walk. */
function mayHoldDangerousKey(text: string): boolean {
  return text.includes('__proto__') || text.includes('constructor') || text.includes(String.raw`\u`);
}

type Path = (string | number)[];

interface Visit {
  readonly value: object;
  readonly parent: Visit | undefined;
  readonly key: string | number;
}

/**
 * Walks without recursion, because JSON can be nested deeper than the stack allows. Returns the
 * path of a dangerous key.
 */
function findDangerousKey(root: unknown): Path | undefined {
  if (typeof root !== 'object' || root === null) return undefined;
  const visits: Visit[] = [{ value: root, parent: undefined, key: '' }];
  // A value from a route need not be parsed JSON: it can contain itself.
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

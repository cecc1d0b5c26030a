/** Bounded JSON parser: strict `JSON.parse`, without keys that could reach a prototype. Pure. */
import { cut } from '../kit/describe-value.ts';
import { findMember } from './text/find-member.ts';
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
  if (excess !== undefined) {
    return { success: false, ...excess, cause: new SyntaxError(`Refused JSON: ${excess.reason}`) };
  }
  try {
    return refuseDangerousKeys(JSON.parse(text), text);
  } catch (cause) {
    const reason = cut(cause instanceof Error ? cause.message : String(cause));
    return { success: false, code: 'syntax', cause, reason };
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

function findDangerousKey(root: unknown): readonly (string | number)[] | undefined {
  const path = findMember(root, (value, key) => {
    if (key !== 'constructor') return key === '__proto__';
    return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
  });
  return path?.at(-1) === 'constructor' ? [...path, 'prototype'] : path;
}

/** Owns turning the text of an answer into a value: `JSON.parse`, nothing more tolerant, and no key that could reach a prototype. Pure. */
import { JsonReader } from './scan/json-reader.ts';

/** A value, or what is wrong with the text and where. */
export type ParsedJson =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly cause: unknown; readonly reason: string };

/** Reads JSON that was trimmed and unwrapped. Never throws, whatever the text. */
export function parseJson(text: string): ParsedJson {
  try {
    const value: unknown = JSON.parse(text);
    const path = mayHoldDangerousKey(text) ? findDangerousKey(value) : undefined;
    if (path === undefined) return { success: true, value };
    const reason = `the key \`${path.join('.')}\` could reach a prototype`;
    return { success: false, cause: new SyntaxError(`Refused JSON: ${reason}`), reason };
  } catch (cause) {
    return { success: false, cause, reason: describePosition(text) };
  }
}

/** Says where the text stops being JSON, the same in every engine. */
function describePosition(text: string): string {
  if (text === '') return 'there is nothing between the tags';
  const reader = new JsonReader();
  reader.read(text, 0, text.length);
  const offset = reader.goodChars;
  const line = text.slice(0, offset).split('\n').length;
  const column = offset - text.lastIndexOf('\n', offset - 1);
  const what =
    offset >= text.length
      ? 'the text ends too early'
      : `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0))}`;
  return `${what} at line ${line}, column ${column} (offset ${offset}), near ${JSON.stringify(text.slice(Math.max(0, offset - 20), offset + 20))}`;
}

function mayHoldDangerousKey(text: string): boolean {
  return text.includes('__proto__') || text.includes('constructor') || text.includes(String.raw`\u`);
}

interface Visit {
  readonly value: object;
  readonly parent: Visit | undefined;
  readonly key: string;
}

/** Walks without recursion: JSON may be nested deeper than a stack. Returns the path of the first dangerous key. */
function findDangerousKey(root: unknown): string[] | undefined {
  if (typeof root !== 'object' || root === null) return undefined;
  const visits: Visit[] = [{ value: root, parent: undefined, key: '' }];
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
    const entries: [string, unknown][] = Object.entries(visit.value);
    for (const [key, value] of entries) {
      if (key === '__proto__') return pathOf(visit, key);
      if (typeof value !== 'object' || value === null) continue;
      if (key === 'constructor' && Object.hasOwn(value, 'prototype'))
        return [...pathOf(visit, key), 'prototype'];
      visits.push({ value, parent: visit, key });
    }
  }
  return undefined;
}

function pathOf(visit: Visit, key: string): string[] {
  const path = [key];
  for (let at: Visit | undefined = visit; at?.parent !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

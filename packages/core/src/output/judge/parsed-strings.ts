/**
 * Parsed strings: text in an answer that holds the array or object that its schema wants. Some
 * models encode nested values twice. Pure.
 */
import { isRecord } from '../../errors/base/is-record.ts';
import type { Issue } from '../../errors/base/issue.ts';
import { findInexact } from '../../schema/json-text/find-inexact.ts';
import type { Repair } from '../definition/provenance.ts';
import { parseJson } from '../json/parse-json.ts';
import { valueAt } from '../json/show-path.ts';
import { setOwn } from '../scan/set-own.ts';

/** A value with parsed strings, and where they were. */
export interface UnquotedValue {
  readonly value: unknown;
  readonly repairs: readonly Repair[];
}

/** More are not one model's habit. */
const MAX_STRINGS = 100;

/**
 * Parses each string that an issue names and that holds an array or object. Undefined if there is
 * none. A number or a word in a string stays a string.
 */
export function parseStrings(value: unknown, issues: readonly Issue[]): UnquotedValue | undefined {
  const paths = new Map(issues.map(({ path }) => [JSON.stringify(path), path]));
  let parsedValue = value;
  const repairs: Repair[] = [];
  for (const path of [...paths.values()].slice(0, MAX_STRINGS)) {
    if (path.length === 0) continue;
    const inner = containerIn(valueAt(parsedValue, path));
    if (inner === undefined) continue;
    parsedValue = withValueAt(parsedValue, path, inner);
    repairs.push({ kind: 'parsed-string', path });
  }
  return repairs.length === 0 ? undefined : { value: parsedValue, repairs };
}

function containerIn(text: unknown): object | undefined {
  if (typeof text !== 'string' || !/^\s*[{[]/u.test(text)) return undefined;
  const parsed = parseJson(text);
  if (!parsed.success || findInexact(text, parsed.value) !== undefined) return undefined;
  return typeof parsed.value === 'object' && parsed.value !== null ? parsed.value : undefined;
}

/** Copies the containers on the path, so that the received value stays. */
function withValueAt(root: unknown, [key, ...rest]: Issue['path'], value: unknown): unknown {
  if (key === undefined) return value;
  const inner = withValueAt(valueAt(root, [key]), rest, value);
  if (Array.isArray(root)) return root.with(Number(key), inner);
  const copy: Record<string, unknown> = isRecord(root) ? { ...root } : {};
  setOwn(copy, String(key), inner);
  return copy;
}

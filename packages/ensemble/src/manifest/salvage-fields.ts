/** Salvage of a manifest with structural problems: its valid parts can still be checked. Pure. */
import type { z } from 'zod';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { KEY_SEPARATOR } from '@truecast/model/internal/models-file/field-schemas';
import type { Intact, Sourced } from './yaml-source.ts';

/** Values in place of required ones that are absent or invalid, by path. */
export type Fillers = Readonly<Record<string, unknown>>;

/** Parts are keys of the file and of the mappings. A list with one invalid entry is invalid. */
const DEPTH = 2;

/** Every part of a valid file is intact. */
export const ALL_INTACT: Intact = () => true;

/** Removes the parts with issues, adds `fillers` for required ones, and parses again. */
export function salvageFields<T>(
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType<T>,
  fillers: Fillers,
): Pick<Sourced<T>, 'isIntact' | 'manifest'> | undefined {
  const damaged = issues.flatMap((issue) => damageOf(issue, value));
  const removed = damaged.reduce<unknown>((rest, path) => withValue(rest, path, undefined), value);
  const filled = damaged.reduce<unknown>((rest, path) => {
    const filler = fillers[path.join('.')];
    return filler === undefined ? rest : withValue(rest, path, filler);
  }, removed);
  const parsed = schema.safeParse(filled);
  if (!parsed.success) return undefined;
  const broken = damaged.map((path) => path.join('.'));
  const isIntact: Intact = (...paths) =>
    paths.every((path) => !broken.some((part) => isWithin(part, path) || isWithin(path, part)));
  return { manifest: parsed.data, isIntact };
}

/** The damaged parts. An unknown key can be a misspelling of any absent one. */
function damageOf(issue: z.core.$ZodIssue, value: unknown): readonly (readonly string[])[] {
  const end = issue.path.findIndex((key) => typeof key !== 'string');
  const path = issue.path.slice(0, end === -1 ? DEPTH : Math.min(end, DEPTH)).map(String);
  if (issue.code !== 'unrecognized_keys' || path.length < issue.path.length || path.length === DEPTH) {
    return [path];
  }
  const parent = path.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), value);
  const absent = issue.message.split(KEY_SEPARATOR).filter((key) => !isRecord(parent) || !(key in parent));
  return [...issue.keys, ...absent].map((key) => [...path, key]);
}

/** A copy with another value at a path. `undefined` removes it. */
function withValue(value: unknown, path: readonly string[], part: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return part;
  if (!isRecord(value)) return part === undefined ? value : withValue({}, path, part);
  const { [key]: current, ...others } = value;
  const changed = withValue(current, rest, part);
  return changed === undefined ? others : { ...others, [key]: changed };
}

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}.`);
}

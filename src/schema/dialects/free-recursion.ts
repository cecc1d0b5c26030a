/** Owns taking properties that lead into recursion out of `required`, for providers that unroll recursion only where it may end. Pure. */
import type { LoweringPort } from './lowering-port.ts';
import { isRecord, type SchemaObject, type SchemaPath } from './schema-place.ts';
import { collectNodes } from './schema-rule.ts';

const PREFIX = '#/$defs/';

/** Returns the document with no required property that leads back to its own definition. */
export function freeRecursion(
  document: SchemaObject,
  port: LoweringPort & { readonly origins: ReadonlyMap<object, SchemaPath> },
): SchemaObject {
  const definitions = document['$defs'];
  if (!isRecord(definitions)) return document;
  const targets = new Map(Object.entries(definitions).map(([name, part]) => [name, referred(part)]));
  const freed = Object.entries(definitions).map(([name, part]): [string, unknown] => {
    const back = [...targets.keys()].filter((target) => reaches(target, name, targets));
    return [name, back.length === 0 ? part : freePart(part, new Set(back), port)];
  });
  return { ...document, $defs: Object.fromEntries(freed) };
}

function freePart(
  part: unknown,
  back: ReadonlySet<string>,
  port: LoweringPort & { readonly origins: ReadonlyMap<object, SchemaPath> },
): unknown {
  if (Array.isArray(part)) return part.map((member: unknown) => freePart(member, back, port));
  if (!isRecord(part)) return part;
  const { properties, required } = part;
  const leads = (name: string): boolean =>
    isRecord(properties) && referred(properties[name]).some((target) => back.has(target));
  const path = port.origins.get(part) ?? [];
  const kept = Array.isArray(required) ? required.filter((name: string) => !leads(name)) : undefined;
  for (const name of Array.isArray(required) ? required : []) {
    if (!kept?.includes(name))
      port.lose(
        [...path, 'properties', String(name)],
        'required',
        'recursion may only stand in a property that may be absent',
      );
  }
  return Object.fromEntries(
    Object.entries(part).map(([keyword, value]) => [
      keyword,
      keyword === 'required' ? kept : keyword === 'enum' ? value : freePart(value, back, port),
    ]),
  );
}

function reaches(from: string, to: string, targets: ReadonlyMap<string, readonly string[]>): boolean {
  const reached = new Set([from]);
  for (const name of reached) for (const next of targets.get(name) ?? []) reached.add(next);
  return reached.has(to);
}

function referred(part: unknown): readonly string[] {
  if (!isRecord(part)) return [];
  return collectNodes(part)
    .map(({ schema }) => schema['$ref'])
    .filter((reference) => typeof reference === 'string' && reference.startsWith(PREFIX))
    .map((reference) => String(reference).slice(PREFIX.length));
}

/**
 * Recursion for providers that unroll it only if it can end: recursive properties are never
 * required. Pure.
 */
import { findCircles, referredNames } from '../analysis/definition-circles.ts';
import type { LoweringPort } from './lowering-port.ts';
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';
import { collectNodes } from '../analysis/schema-rule.ts';

type Port = LoweringPort & { readonly origins: ReadonlyMap<object, SchemaPath> };

/** Returns the document without required properties that refer back to their own definition. */
export function freeRecursion(document: SchemaObject, port: Port): SchemaObject {
  const { $defs: definitions } = document;
  if (!isRecord(definitions)) return document;
  const circles = findCircles(definitions, port.work);
  if (circles.size === 0) return document;
  const freed = Object.entries(definitions).map(([name, part]): [string, unknown] => {
    const circle = circles.get(name);
    if (circle === undefined || !isRecord(part)) return [name, part];
    return [name, freeDefinition(part, (target) => circles.get(target) === circle, port)];
  });
  return { ...document, $defs: Object.fromEntries(freed) };
}

/** Makes the recursive properties of every object of a definition optional. */
function freeDefinition(
  definition: SchemaObject,
  leadsBack: (target: string) => boolean,
  port: Port,
): SchemaObject {
  const freed = new Map<unknown, readonly unknown[]>();
  for (const { schema } of collectNodes(definition, port.work)) {
    const { properties, required } = schema;
    if (!isRecord(properties) || !Array.isArray(required)) continue;
    const kept = (required as unknown[]).filter((name) => {
      const isKept = ![...referredNames(properties[String(name)], port.work)].some(leadsBack);
      if (!isKept) port.lose(placeOf(schema, name, port), 'required', REASON);
      return isKept;
    });
    if (kept.length < required.length) freed.set(schema, kept);
  }
  return freed.size === 0 ? definition : replace(definition, freed);
}

const REASON = 'recursion is possible only in an optional property';

function placeOf(schema: object, name: unknown, { origins }: Port): SchemaPath {
  return [...(origins.get(schema) ?? []), 'properties', String(name)];
}

/** Copies the schema with other lists of required names. Data and names are not changed. */
function replace(part: SchemaObject, freed: ReadonlyMap<unknown, readonly unknown[]>): SchemaObject {
  const members = Object.entries(part).map(([keyword, value]): [string, unknown] => {
    const kept = keyword === 'required' ? freed.get(part) : undefined;
    if (kept !== undefined) return [keyword, kept];
    if (Array.isArray(value) && !DATA.has(keyword)) {
      return [keyword, value.map((member: unknown) => (isRecord(member) ? replace(member, freed) : member))];
    }
    if (!isRecord(value) || DATA.has(keyword)) return [keyword, value];
    return [keyword, keyword === 'properties' ? replaceEach(value, freed) : replace(value, freed)];
  });
  return Object.fromEntries(members);
}

function replaceEach(map: SchemaObject, freed: ReadonlyMap<unknown, readonly unknown[]>): SchemaObject {
  return Object.fromEntries(
    Object.entries(map).map(([name, part]) => [name, isRecord(part) ? replace(part, freed) : part]),
  );
}

const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required', 'type']);

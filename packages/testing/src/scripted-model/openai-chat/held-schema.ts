/**
 * What the grammar of a local engine enforces of a schema, as tried with llama-server 11434 and
 * llama-cpp-python 0.3.36. Pure.
 */
import { isRecord } from '@truecast/core/internal/kit/is-record';

/** A schema on its way to an engine's grammar. */
export type HeldSchema =
  /** The engine decodes under this part of it. It reports nothing about the rest. */
  | { readonly type: 'held'; readonly schema: unknown }
  /** The engine decodes under no part of it, and reports nothing. */
  | { readonly type: 'dropped' }
  | { readonly type: 'refused'; readonly message: string }
  /** The engine's process ends. */
  | { readonly type: 'ends' };

/** Converts schemas as one engine does. */
export type SchemaConverter = (schema: unknown) => HeldSchema;

/** llama-server: ignores unknown keywords. */
export const heldByLlamaServer: SchemaConverter = (schema) =>
  nodesOf(schema).some(({ $ref: ref }) => ref === '#')
    ? { type: 'refused', message: 'JSON schema conversion failed:\nUnsupported ref: #' }
    : { type: 'held', schema: mapNodes(schema, serverNode) };

/** llama-cpp-python: an older converter, and one that asserts. */
export const heldByLlamaCppPython: SchemaConverter = (schema) => {
  const nodes = nodesOf(schema);
  const patterns = nodes.flatMap(({ pattern }) => (typeof pattern === 'string' ? [traitsOf(pattern)] : []));
  const isTooLong = nodes.some(({ maxLength }) => typeof maxLength === 'number' && maxLength > MAX_REPEATS);
  if (isTooLong || patterns.some((traits) => traits.hasSet || traits.hasEscape)) return { type: 'ends' };
  if (patterns.some((traits) => traits.hasGroupMark || !traits.isAnchored)) return { type: 'dropped' };
  return { type: 'held', schema: mapNodes(schema, pythonNode) };
};

type SchemaNode = Readonly<Record<string, unknown>>;

/** 10 is held, and 3,000 ends the process. */
const MAX_REPEATS = 2_000;
const SERVER_FORMATS: readonly unknown[] = ['date', 'time', 'date-time', 'uuid'];
const PYTHON_FORMATS: readonly unknown[] = ['date', 'time', 'date-time'];

function serverNode(node: SchemaNode): SchemaNode {
  const { pattern } = node;
  if (typeof pattern === 'string') {
    const { isAnchored, hasSet, hasAssertion } = traitsOf(pattern);
    const rest = without(node, ['minLength', 'maxLength', 'format']);
    // It reads the pattern before the format, so that a pattern it cannot read leaves any string.
    return isAnchored && !hasSet && !hasAssertion ? rest : without(rest, ['pattern']);
  }
  const bounds = node['type'] === 'integer' ? [] : NUMBER_BOUNDS;
  return without(node, ['multipleOf', ...bounds, ...formatIn(node, SERVER_FORMATS)]);
}

function pythonNode(node: SchemaNode): SchemaNode {
  const ofPattern = typeof node['pattern'] === 'string' ? ['format', 'minLength', 'maxLength'] : [];
  return without(node, [...NUMBER_BOUNDS, 'multipleOf', ...ofPattern, ...formatIn(node, PYTHON_FORMATS)]);
}

const NUMBER_BOUNDS: readonly string[] = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];

function formatIn({ format }: SchemaNode, known: readonly unknown[]): readonly string[] {
  return known.includes(format) ? [] : ['format'];
}

function without(node: SchemaNode, keys: readonly string[]): SchemaNode {
  return Object.fromEntries(Object.entries(node).filter(([key]) => !keys.includes(key)));
}

interface PatternTraits {
  /** From `^` to `$`. */
  readonly isAnchored: boolean;
  /** `\d`, `\w`, `\s`. */
  readonly hasSet: boolean;
  /** An escape outside a class. */
  readonly hasEscape: boolean;
  /** `(?:` or a look-around. */
  readonly hasGroupMark: boolean;
  readonly hasAssertion: boolean;
}

function traitsOf(pattern: string): PatternTraits {
  const escapes = [...pattern.matchAll(/\\./gsu)].map(([escape]) => escape);
  const outside = pattern.replaceAll(/\[(?:\\.|[^\\\]])*\]/gsu, '[]');
  return {
    isAnchored: pattern.startsWith('^') && /(?<!\\)\$$/u.test(pattern),
    hasSet: escapes.some((escape) => /[dws]/iu.test(escape)),
    hasEscape: outside.includes('\\'),
    hasGroupMark: outside.includes('(?'),
    hasAssertion: /\(\?<?[=!]/u.test(outside),
  };
}

/** All objects of a schema. A property of the name of a keyword is seen as one. */
function nodesOf(schema: unknown): readonly SchemaNode[] {
  if (Array.isArray(schema)) return schema.flatMap(nodesOf);
  return isRecord(schema) ? [schema, ...Object.values(schema).flatMap(nodesOf)] : [];
}

/** Maps subschemas from the inside out. The names in `properties` and `$defs` are not keywords. */
function mapNodes(schema: unknown, map: (node: SchemaNode) => SchemaNode): unknown {
  if (Array.isArray(schema)) return schema.map((each: unknown) => mapNodes(each, map));
  if (!isRecord(schema)) return schema;
  const inner = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (VALUES.has(key)) return [key, value];
    if (!NAMED.has(key) || !isRecord(value)) return [key, mapNodes(value, map)];
    const named = Object.entries(value).map(([name, each]) => [name, mapNodes(each, map)] as const);
    return [key, Object.fromEntries(named)];
  });
  return map(Object.fromEntries(inner));
}

const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required']);
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/** Rules of OpenAI's strict structured outputs, with the service's refusals. Pure. */

/** Keywords that the service's constrained decoding does not support. */
const REFUSED_KEYWORDS = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'prefixItems',
  'contains',
  'minContains',
  'maxContains',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'default',
] as const;

const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

const MAX_DEPTH = 10;
const MAX_PROPERTIES = 5_000;

type SchemaNode = Readonly<Record<string, unknown>>;

interface Walk {
  properties: number;
}

/**
 * Returns the refusal of a strict schema, with the place as the service names it. Undefined if it
 * is accepted.
 */
export function strictSchemaRefusal(schema: unknown): string | undefined {
  if (!isNode(schema)) return `schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`;
  if (schema['anyOf'] !== undefined) {
    return at([], `schema must have type 'object' and not have 'anyOf' at the top level.`);
  }
  if (schema['type'] !== 'object') {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${shown(schema['type'] ?? 'None')}"'.`;
  }
  return refusedNode(schema, [], 1, { properties: 0 });
}

function refusedNode(
  node: SchemaNode,
  path: readonly string[],
  depth: number,
  walk: Walk,
): string | undefined {
  if (depth > MAX_DEPTH) return at(path, `schema is nested deeper than ${MAX_DEPTH} levels.`);
  if (node['$ref'] !== undefined) return refusedReference(node, path);
  return (
    refusedKeywords(node, path) ??
    refusedObject(node, path, walk) ??
    refusedArray(node, path) ??
    refusedChildren(node, path, depth, walk)
  );
}

function refusedReference(node: SchemaNode, path: readonly string[]): string | undefined {
  const reference = node['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#')) {
    return at(path, `reference can only point to definitions in the same schema.`);
  }
  const siblings = Object.keys(node).filter((key) => key !== '$ref');
  return siblings.length === 0 || path.length === 0
    ? undefined
    : at(path, `$ref cannot have keywords {${siblings.map((key) => `'${key}'`).join(', ')}}.`);
}

function refusedKeywords(node: SchemaNode, path: readonly string[]): string | undefined {
  const refused = REFUSED_KEYWORDS.find((keyword) => node[keyword] !== undefined);
  if (refused !== undefined) return at(path, `'${refused}' is not permitted.`);
  if (node['format'] !== undefined && !FORMATS.has(node['format'])) {
    return at(path, `'${shown(node['format'])}' is not a valid format.`);
  }
  if (node['type'] === undefined && node['anyOf'] === undefined) {
    return at(path, `schema must have a 'type' key.`);
  }
  return undefined;
}

function refusedObject(node: SchemaNode, path: readonly string[], walk: Walk): string | undefined {
  if (!hasType(node, 'object')) return undefined;
  if (node['additionalProperties'] !== false) {
    return at(path, `'additionalProperties' is required to be supplied and to be false.`);
  }
  if (!isNode(node['properties'])) return at(path, `object schema missing properties.`);
  const keys = Object.keys(node['properties']);
  const required: readonly unknown[] = Array.isArray(node['required']) ? node['required'] : [];
  const missing = keys.find((key) => !required.includes(key));
  if (missing !== undefined) {
    return at(
      path,
      `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`,
    );
  }
  const extra = required.find((key) => typeof key !== 'string' || !keys.includes(key));
  if (extra !== undefined) return at(path, `Extra required key '${shown(extra)}' supplied.`);
  walk.properties += keys.length;
  return walk.properties > MAX_PROPERTIES
    ? at(path, `schema has more than ${MAX_PROPERTIES} properties in all.`)
    : undefined;
}

function refusedArray(node: SchemaNode, path: readonly string[]): string | undefined {
  return hasType(node, 'array') && !isNode(node['items'])
    ? at(path, `array schema missing items.`)
    : undefined;
}

function refusedChildren(
  node: SchemaNode,
  path: readonly string[],
  depth: number,
  walk: Walk,
): string | undefined {
  for (const [step, child, isDeeper] of childrenOf(node)) {
    const childPath = [...path, ...step];
    if (!isNode(child)) return at(childPath, `schema must be an object.`);
    const refusal = refusedNode(child, childPath, depth + (isDeeper ? 1 : 0), walk);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function childrenOf(node: SchemaNode): [step: string[], child: unknown, isDeeper: boolean][] {
  const children: [string[], unknown, boolean][] = [];
  for (const keyword of ['properties', '$defs', 'definitions']) {
    if (!isNode(node[keyword])) continue;
    for (const [key, child] of Object.entries(node[keyword])) {
      children.push([[keyword, key], child, keyword === 'properties']);
    }
  }
  if (node['items'] !== undefined) children.push([['items'], node['items'], true]);
  if (Array.isArray(node['anyOf'])) {
    for (const [index, child] of node['anyOf'].entries()) {
      children.push([['anyOf', String(index)], child, false]);
    }
  }
  return children;
}

function hasType(node: SchemaNode, type: string): boolean {
  const types = node['type'];
  return types === type || (Array.isArray(types) && types.includes(type));
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function at(path: readonly string[], complaint: string): string {
  return `In context=(${path.map((step) => `'${step}'`).join(', ')}), ${complaint}`;
}

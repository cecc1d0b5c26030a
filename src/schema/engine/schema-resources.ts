/** Owns identifiers inside a schema, and what a fragment leads to. Nothing is ever loaded. Pure. */
import type { SchemaNode, SchemaResource } from './schema-node.ts';

/** What a fragment leads to: a node, or a schema that has not been compiled yet. */
export type FragmentTarget =
  | { readonly node: SchemaNode }
  | { readonly schema: unknown; readonly resource: SchemaResource };

export function createResource(uri: string, root: unknown): SchemaResource {
  return { uri, root, anchors: new Map(), dynamicAnchors: new Map() };
}

/** Resolves an address against a base and drops its fragment; `undefined` when it is no URI reference. */
export function resolveUri(address: string, base: string): string | undefined {
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  url.hash = '';
  return url.href;
}

/** Finds what a fragment of a resource leads to: its root, an anchor, or a place by JSON Pointer. */
export function resolveFragment(
  fragment: string,
  resource: SchemaResource,
  nodeOf: (schema: object) => SchemaNode | undefined,
): FragmentTarget | undefined {
  const decoded = decode(fragment);
  if (decoded === undefined) return undefined;
  if (decoded !== '' && !decoded.startsWith('/')) {
    const node = resource.anchors.get(decoded);
    return node === undefined ? undefined : { node };
  }
  return followPointer(decoded, resource, nodeOf);
}

function followPointer(
  pointer: string,
  from: SchemaResource,
  nodeOf: (schema: object) => SchemaNode | undefined,
): FragmentTarget | undefined {
  let schema = from.root;
  let resource = from;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key)) return undefined;
    schema = Reflect.get(schema, key);
    if (typeof schema === 'object' && schema !== null) resource = nodeOf(schema)?.resource ?? resource;
  }
  const node = typeof schema === 'object' && schema !== null ? nodeOf(schema) : undefined;
  return node === undefined ? { schema, resource } : { node };
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

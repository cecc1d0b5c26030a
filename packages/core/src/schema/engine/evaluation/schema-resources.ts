/** Identifiers and fragments within a schema. Nothing is ever loaded. Pure. */
import type { SchemaNode, SchemaResource } from './schema-node.ts';

/** Target of a fragment: a node, or a schema not compiled yet. */
export type FragmentTarget =
  | { readonly node: SchemaNode }
  | { readonly schema: unknown; readonly resource: SchemaResource };

export function createResource(uri: string, root: unknown): SchemaResource {
  return { uri, root, anchors: new Map(), dynamicAnchors: new Map() };
}

/** Resolves a URI reference against a base, without its fragment. `undefined` if invalid. */
export function resolveUri(address: string, base: string): string | undefined {
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  url.hash = '';
  return url.href;
}

/** Resolves a fragment of a resource: its root, an anchor, or a JSON Pointer. */
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

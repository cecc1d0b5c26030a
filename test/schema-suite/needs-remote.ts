/** Finds the schemas of the suite that need another document. */

/** Addresses of the suite's other documents and of the metaschemas. */
const REMOTE = /^https?:\/\/(?:localhost:1234|json-schema\.org)\//u;

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/** Keywords whose values are data, not schemas. */
const VALUES = ['const', 'enum', 'default', 'examples'];

/**
 * Returns true if a schema refers to a document that it does not contain, or uses a custom dialect.
 */
export function needsRemote(schema: unknown): boolean {
  const found: Found = { ids: new Set(), references: [] };
  walk(schema, 'truecast-suite://root/', found);
  const isOwnDialect =
    typeof schema === 'object' &&
    schema !== null &&
    /^https?:\/\/localhost:1234\//u.test(String(Reflect.get(schema, '$schema')));
  return isOwnDialect || found.references.some((uri) => REMOTE.test(uri) && !found.ids.has(uri));
}

interface Found {
  readonly ids: Set<string>;
  readonly references: string[];
}

function walk(value: unknown, base: string, found: Found): void {
  if (typeof value !== 'object' || value === null) return;
  const own = idOf(value);
  const inner = own === undefined ? base : resolve(own, base);
  found.ids.add(inner);
  for (const [key, member] of Object.entries(value)) {
    if (REFERENCES.includes(key) && typeof member === 'string') found.references.push(resolve(member, inner));
    else if (!VALUES.includes(key)) walk(member, inner, found);
  }
}

function idOf(schema: object): string | undefined {
  const id: unknown = Reflect.get(schema, '$id') ?? Reflect.get(schema, 'id');
  return typeof id === 'string' ? id : undefined;
}

/** Resolves a reference and drops its fragment. */
function resolve(reference: string, base: string): string {
  if (!URL.canParse(reference, base)) return reference;
  const url = new URL(reference, base);
  url.hash = '';
  return url.href;
}

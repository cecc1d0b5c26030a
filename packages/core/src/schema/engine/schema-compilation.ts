/** Compilation: converts every schema of a document to a node, then resolves references. Pure. */
import { describeValue } from '../../kit/describe-value.ts';
import { SchemaError } from '../../errors/schema-error.ts';
import { countProperties } from '../pattern/parse-escape.ts';
import { createPattern, type Pattern } from '../pattern/pattern.ts';
import { compileKeywords } from './compile-keywords.ts';
import { type DialectRules, detectDialect } from './evaluation/dialect.ts';
import { type CompilationPort, KeywordSite, type PendingReference } from './evaluation/keyword-site.ts';
import {
  findInPlaceCircle,
  SchemaNode,
  type LinkedSchemaPath,
  type SchemaResource,
  pathOf,
} from './evaluation/schema-node.ts';
import { createResource, resolveFragment, resolveUri } from './evaluation/schema-resources.ts';

/** Base URI of a schema without an identifier. Any absolute URI works. */
const ROOT_URI = 'truecast://schema/';

/** Maximum distinct patterns per schema: parsing one takes up to 30 microseconds. */
const MAX_PATTERNS = 1000;

/**
 * Maximum Unicode properties such as `\p{L}` in a schema's patterns: building the tables of one
 * takes up to 30 microseconds.
 */
const MAX_PROPERTIES = 300;

/** Maximum total size of eagerly compiled large patterns: a few milliseconds. */
const MAX_EAGER_NUMBERS = 160_000;

export interface CompiledSchema {
  readonly root: SchemaNode;
  readonly rules: DialectRules;
  /** True if a reference depends on the dynamic scope of a validation. */
  readonly isDynamic: boolean;
  /** Returns the node of a schema object of the document. */
  nodeOf(schema: object): SchemaNode | undefined;
}

/**
 * Compiles a schema that was read. The recursion is bounded by its limited depth.
 *
 * @throws SchemaError `invalid`, `pattern`, `remote-reference`, with the path
 */
export function compileDocument(schema: unknown): CompiledSchema {
  const compilation = new SchemaCompilation(schema);
  return compilation.run();
}

class SchemaCompilation implements CompilationPort {
  readonly rules: DialectRules;
  readonly #schema: unknown;
  readonly #nodes = new Map<object, SchemaNode>();
  readonly #resources = new Map<string, SchemaResource>();
  readonly #patterns = new Map<string, Pattern>();
  #pending: PendingReference[] = [];
  #isDynamic = false;
  #eagerNumbers = 0;
  #properties = 0;

  constructor(schema: unknown) {
    this.#schema = schema;
    this.rules = detectDialect(schema);
  }

  run(): CompiledSchema {
    const resource = createResource(ROOT_URI, this.#schema);
    this.#resources.set(ROOT_URI, resource);
    const root = this.#compileIn(this.#schema, undefined, resource);
    // A reference can point to a place outside all keywords, with references inside.
    while (this.#pending.length > 0) {
      const references = this.#pending;
      this.#pending = [];
      for (const reference of references) this.#resolve(reference);
    }
    const circle = findInPlaceCircle([...this.#nodes.values()]);
    if (circle !== undefined) {
      throw new SchemaError(
        'The schema applies itself to the same value in an infinite loop. Reference it from a property or an item instead.',
        {
          code: 'invalid',
          path: pathOf(circle.path),
        },
      );
    }
    return {
      root,
      rules: this.rules,
      isDynamic: this.#isDynamic,
      nodeOf: (schema) => this.#nodes.get(schema),
    };
  }

  compile(schema: unknown, path: LinkedSchemaPath, site: KeywordSite): SchemaNode {
    return this.#compileIn(schema, path, site.node.resource);
  }

  addReference(reference: PendingReference): void {
    this.#isDynamic ||= reference.keyword !== '$ref';
    this.#pending.push(reference);
  }

  pattern(source: string, site: KeywordSite, path: LinkedSchemaPath): Pattern {
    const known = this.#patterns.get(source);
    if (known !== undefined) return known;
    if (this.#patterns.size >= MAX_PATTERNS) {
      throw site.refuse(
        'too-many-nodes',
        `Expected at most ${MAX_PATTERNS} different patterns, got more. Combine or remove some.`,
        path,
      );
    }
    this.#properties += countProperties(source);
    try {
      if (this.#properties > MAX_PROPERTIES) {
        throw new SyntaxError(`The schema has more than ${MAX_PROPERTIES} properties of characters`);
      }
      const pattern = createPattern(source);
      this.#patterns.set(source, pattern);
      this.#eagerNumbers += pattern.eagerNumbers;
      if (this.#eagerNumbers > MAX_EAGER_NUMBERS) {
        throw new SyntaxError('The patterns of the schema are too large in total');
      }
      return pattern;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw site.refuse(
        'pattern',
        `The pattern ${describeValue(source)} cannot be used: ${why}. Write it as an ECMAScript pattern.`,
        path,
        cause,
      );
    }
  }

  #compileIn(schema: unknown, path: LinkedSchemaPath, outer: SchemaResource): SchemaNode {
    if (typeof schema === 'boolean') {
      const node = new SchemaNode(outer, path);
      if (!schema) node.kinds = 0;
      return node;
    }
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
      throw new SchemaError(
        `Expected a schema, which is an object or a boolean, got ${describeValue(schema)}. Correct the schema.`,
        {
          code: 'invalid',
          path: pathOf(path),
        },
      );
    }
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    // Parsed from JSON: an object that is not an array has string keys only.
    const keywords = schema as Readonly<Record<string, unknown>>;
    const node = new SchemaNode(this.#enterResource(keywords, path, outer), path);
    this.#nodes.set(schema, node);
    const site = new KeywordSite(keywords, node, this);
    this.#addAnchors(site);
    compileKeywords(site);
    return node;
  }

  #enterResource(
    schema: Readonly<Record<string, unknown>>,
    path: LinkedSchemaPath,
    outer: SchemaResource,
  ): SchemaResource {
    const id = this.rules.isDraft04 ? schema['id'] : schema['$id'];
    const isIgnored = this.rules.ignoresRefSiblings && schema['$ref'] !== undefined;
    if (typeof id !== 'string' || id.startsWith('#') || isIgnored) return outer;
    const uri = resolveUri(id, outer.uri);
    if (uri === undefined) {
      throw new SchemaError(
        `Expected \`$id\` to be a URI reference, got ${describeValue(id)}. Correct the schema.`,
        {
          code: 'invalid',
          path: [...pathOf(path), '$id'],
        },
      );
    }
    const known = this.#resources.get(uri);
    if (known?.root === schema) return known;
    const resource = createResource(uri, schema);
    this.#resources.set(uri, resource);
    return resource;
  }

  #addAnchors({ schema, node }: KeywordSite): void {
    const { $anchor, $dynamicAnchor, $recursiveAnchor } = schema;
    const id = this.rules.isDraft04 ? schema['id'] : schema['$id'];
    const { anchors, dynamicAnchors } = node.resource;
    if (typeof $anchor === 'string') anchors.set($anchor, node);
    if (typeof $dynamicAnchor === 'string') {
      anchors.set($dynamicAnchor, node);
      dynamicAnchors.set($dynamicAnchor, node);
    }
    if ($recursiveAnchor === true) dynamicAnchors.set('', node);
    // Up to draft 07, a fragment-only identifier is an anchor.
    if (typeof id === 'string' && id.startsWith('#')) anchors.set(id.slice(1), node);
  }

  #resolve({ site, keyword, reference, resolve }: PendingReference): void {
    const path = site.at(keyword);
    const hash = reference.indexOf('#');
    const address = hash === -1 ? reference : reference.slice(0, hash);
    const fragment = hash === -1 ? '' : reference.slice(hash + 1);
    const { resource: from } = site.node;
    const uri = address === '' ? from.uri : resolveUri(address, from.uri);
    const resource = uri === undefined ? undefined : this.#resources.get(uri);
    if (resource === undefined) {
      throw site.refuse(
        'remote-reference',
        `The reference ${describeValue(reference)} points outside the schema. Put its target into \`$defs\`.`,
        path,
      );
    }
    const target = resolveFragment(fragment, resource, (schema) => this.#nodes.get(schema));
    if (target === undefined) {
      throw site.refuse(
        'invalid',
        `The reference ${describeValue(reference)} has no target in the schema. Correct it, or add the target.`,
        path,
      );
    }
    const node =
      'node' in target
        ? target.node
        : this.#compileIn(target.schema, { parent: path, key: fragment }, target.resource);
    resolve(node, fragment);
  }
}

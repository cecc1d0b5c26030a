/** Owns one compilation: every schema of a document becomes a node, then the references between them are resolved. Pure. */
import { describeValue } from '../../errors/describe-value.ts';
import { SchemaError } from '../../errors/schema-error.ts';
import { countProperties } from '../pattern/parse-escape.ts';
import { createPattern, type Pattern } from '../pattern/pattern.ts';
import { compileKeywords } from './compile-keywords.ts';
import { type DialectRules, detectDialect } from './dialect.ts';
import { type CompilationPort, KeywordSite, type PendingReference } from './keyword-site.ts';
import { findInPlaceCircle } from './in-place-circle.ts';
import { SchemaNode, type SchemaPath, type SchemaResource, pathOf } from './schema-node.ts';
import { createResource, resolveFragment, resolveUri } from './schema-resources.ts';

/** Anything absolute will do: it is where a schema without an identifier is taken to stand. */
const ROOT_URI = 'truecast://schema/';

/** Most different patterns of a schema: parsing one takes up to 30 microseconds. */
const MAX_PATTERNS = 1000;

/** Most properties such as `\p{L}` in the patterns of a schema: the tables of one take up to 30 microseconds to put together. */
const MAX_PROPERTIES = 300;

/** Most that large patterns may be compiled to at once, together; it takes a few milliseconds. */
const MAX_EAGER_NUMBERS = 160_000;

/** A compiled document. */
export interface CompiledSchema {
  readonly root: SchemaNode;
  readonly rules: DialectRules;
  /** Whether a reference depends on the way that a validation has come. */
  readonly isDynamic: boolean;
}

/**
 * Compiles a schema that has been read; it is of limited depth, and recursion follows it.
 *
 * @throws SchemaError `invalid`, `pattern`, `remote-reference`, with the path
 */
export function compileDocument(schema: unknown): CompiledSchema {
  const compilation = new SchemaCompilation(schema);
  return compilation.run();
}

class SchemaCompilation implements CompilationPort {
  readonly rules: DialectRules;
  private readonly schema: unknown;
  private readonly nodes = new Map<object, SchemaNode>();
  private readonly resources = new Map<string, SchemaResource>();
  private readonly patterns = new Map<string, Pattern>();
  private pending: PendingReference[] = [];
  private isDynamic = false;
  private eagerNumbers = 0;
  private properties = 0;

  constructor(schema: unknown) {
    this.schema = schema;
    this.rules = detectDialect(schema);
  }

  run(): CompiledSchema {
    const resource = createResource(ROOT_URI, this.schema);
    this.resources.set(ROOT_URI, resource);
    const root = this.compileIn(this.schema, undefined, resource);
    // A reference may lead to a place that no keyword has led to, and which has references of its own.
    while (this.pending.length > 0) {
      const references = this.pending;
      this.pending = [];
      for (const reference of references) this.resolve(reference);
    }
    const circle = findInPlaceCircle([...this.nodes.values()]);
    if (circle !== undefined) {
      throw new SchemaError(
        'The schema applies itself to the same value without end. Refer to it from a property or an item instead.',
        {
          code: 'invalid',
          path: pathOf(circle.path),
        },
      );
    }
    return { root, rules: this.rules, isDynamic: this.isDynamic };
  }

  compile(schema: unknown, path: SchemaPath, site: KeywordSite): SchemaNode {
    return this.compileIn(schema, path, site.node.resource);
  }

  addReference(reference: PendingReference): void {
    this.isDynamic ||= reference.keyword !== '$ref';
    this.pending.push(reference);
  }

  pattern(source: string, site: KeywordSite, path: SchemaPath): Pattern {
    const known = this.patterns.get(source);
    if (known !== undefined) return known;
    if (this.patterns.size >= MAX_PATTERNS) {
      throw site.refuse(
        'too-many-nodes',
        `Expected at most ${MAX_PATTERNS} different patterns, got more. Join or drop some.`,
        path,
      );
    }
    this.properties += countProperties(source);
    try {
      if (this.properties > MAX_PROPERTIES)
        throw new SyntaxError(`The schema has more than ${MAX_PROPERTIES} properties of characters`);
      const pattern = createPattern(source);
      this.patterns.set(source, pattern);
      this.eagerNumbers += pattern.eagerNumbers;
      if (this.eagerNumbers > MAX_EAGER_NUMBERS)
        throw new SyntaxError('The patterns of the schema are too large together');
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

  private compileIn(schema: unknown, path: SchemaPath, outer: SchemaResource): SchemaNode {
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
    const known = this.nodes.get(schema);
    if (known !== undefined) return known;
    // Parsed from JSON: an object that is no array has string keys only.
    const keywords = schema as Readonly<Record<string, unknown>>;
    const node = new SchemaNode(this.enterResource(keywords, path, outer), path);
    this.nodes.set(schema, node);
    const site = new KeywordSite(keywords, node, this);
    this.addAnchors(site);
    compileKeywords(site);
    return node;
  }

  private enterResource(
    schema: Readonly<Record<string, unknown>>,
    path: SchemaPath,
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
    const known = this.resources.get(uri);
    if (known?.root === schema) return known;
    const resource = createResource(uri, schema);
    this.resources.set(uri, resource);
    return resource;
  }

  private addAnchors({ schema, node }: KeywordSite): void {
    const { $anchor, $dynamicAnchor, $recursiveAnchor } = schema;
    const id = this.rules.isDraft04 ? schema['id'] : schema['$id'];
    const { anchors, dynamicAnchors } = node.resource;
    if (typeof $anchor === 'string') anchors.set($anchor, node);
    if (typeof $dynamicAnchor === 'string') {
      anchors.set($dynamicAnchor, node);
      dynamicAnchors.set($dynamicAnchor, node);
    }
    if ($recursiveAnchor === true) dynamicAnchors.set('', node);
    // Up to draft 07, an identifier that is only a fragment names its schema.
    if (typeof id === 'string' && id.startsWith('#')) anchors.set(id.slice(1), node);
  }

  private resolve({ site, keyword, reference, resolve }: PendingReference): void {
    const path = site.at(keyword);
    const hash = reference.indexOf('#');
    const address = hash === -1 ? reference : reference.slice(0, hash);
    const fragment = hash === -1 ? '' : reference.slice(hash + 1);
    const { resource: from } = site.node;
    const uri = address === '' ? from.uri : resolveUri(address, from.uri);
    const resource = uri === undefined ? undefined : this.resources.get(uri);
    if (resource === undefined) {
      throw site.refuse(
        'remote-reference',
        `The reference ${describeValue(reference)} leads out of the schema. Put what it refers to into \`$defs\`.`,
        path,
      );
    }
    const target = resolveFragment(fragment, resource, (schema) => this.nodes.get(schema));
    if (target === undefined) {
      throw site.refuse(
        'invalid',
        `The reference ${describeValue(reference)} leads to nothing. Correct it, or add what it refers to.`,
        path,
      );
    }
    const node =
      'node' in target
        ? target.node
        : this.compileIn(target.schema, { parent: path, key: fragment }, target.resource);
    resolve(node, fragment);
  }
}

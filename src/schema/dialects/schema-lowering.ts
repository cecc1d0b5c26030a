/** Owns one lowering of a schema that is rebuilt part by part: what each part is, its definitions, its losses. Pure. */
import { SchemaError } from '../../errors/schema-error.ts';
import type { DialectProfile } from './dialect-profile.ts';
import { isAnything, isNever } from './is-never.ts';
import { jsonText } from './json-text.ts';
import { isAssertion, keepKeywords } from './keep-keywords.ts';
import { lowerArray } from './lower-array.ts';
import { lowerLiteral } from './lower-literal.ts';
import { lowerObject } from './lower-object.ts';
import { lowerUnion } from './lower-union.ts';
import type { InversePart, Lowered, LoweringPort, SchemaChange, SchemaLoss } from './lowering-port.ts';
import { mergeSchemas } from './merge-schemas.ts';
import {
  isRecord,
  pointerOf,
  resolveReference,
  showPlace,
  type PlacedSchema,
  type SchemaObject,
  type SchemaPath,
} from './schema-place.ts';
import { collectNodes } from './schema-rule.ts';
import { SchemaFit } from './schema-fit.ts';
import { keywordsOf, typesOf } from './schema-types.ts';

/** Parts lowered at most: alternatives within alternatives multiply. */
const MAX_PARTS = 20_000;

/** A definition of the lowered schema. */
interface Definition {
  readonly name: string;
  lowered: Lowered | undefined;
}

/** Lowers one schema. */
export class SchemaLowering implements LoweringPort {
  readonly profile: DialectProfile;
  readonly root: unknown;
  readonly losses: SchemaLoss[] = [];
  readonly changes: SchemaChange[] = [];
  /** Where each lowered part comes from. */
  readonly origins: Map<object, SchemaPath> = new Map();
  private readonly definitions = new Map<string, Definition>();
  private readonly places = new Map<unknown, SchemaPath>();
  private readonly fit = new SchemaFit();
  private readonly open = new Set<string>();
  private readonly inlining = new Set<unknown>();
  private parts = 0;

  constructor(root: unknown, profile: DialectProfile) {
    this.root = root;
    this.profile = profile;
    if (isRecord(root)) for (const { schema, path } of collectNodes(root)) this.places.set(schema, path);
  }

  /** Lowers the root; its definitions are those that it refers to. */
  run(): Lowered {
    this.open.add('');
    const target = this.inlineRoot(this.root, []);
    this.open.add(pointerOf(target.path));
    const lowered = this.lower(target.schema, target.path);
    const named = [...this.definitions.values()].find(
      ({ name }) => lowered.schema['$ref'] === `#/$defs/${name}`,
    );
    return named?.lowered ?? lowered;
  }

  /** The lowered definitions, by name. */
  definitionsOf(): SchemaObject {
    return Object.fromEntries(
      [...this.definitions.values()].map(({ name, lowered }) => [name, lowered?.schema ?? {}]),
    );
  }

  lower(schema: unknown, fallback: SchemaPath): Lowered {
    const path = this.places.get(schema) ?? fallback;
    this.parts += 1;
    if (this.parts > MAX_PARTS) {
      throw new SchemaError(
        `Expected a schema of at most ${MAX_PARTS} parts after its alternatives are spread, got more at ${showPlace(path)}. Name fewer alternatives within each other.`,
        { code: 'too-many-nodes', path },
      );
    }
    const lowered = this.lowerPart(schema, path);
    if (!this.origins.has(lowered.schema)) this.origins.set(lowered.schema, path);
    return lowered;
  }

  lose(path: SchemaPath, keyword: string, reason: string): void {
    const pointer = pointerOf(path);
    if (this.losses.some((loss) => loss.keyword === keyword && pointerOf(loss.path) === pointer)) return;
    this.losses.push({ path, keyword, reason });
  }

  change(path: SchemaPath, keyword: string, form: string): void {
    const pointer = pointerOf(path);
    if (this.changes.some((change) => change.keyword === keyword && pointerOf(change.path) === pointer))
      return;
    this.changes.push({ path, keyword, form });
  }

  resolve(reference: unknown, path: SchemaPath): PlacedSchema {
    return resolveReference(this.root, reference, path);
  }

  fitsLowered(schema: SchemaObject, value: unknown): boolean {
    return this.fit.fits(schema, { ...schema, $defs: this.definitionsOf() }, value);
  }

  fitsOriginal(schema: unknown, value: unknown): boolean {
    return this.fit.fitsWithin(this.root, schema, value);
  }

  private inlineRoot(schema: unknown, path: SchemaPath): PlacedSchema {
    if (!isRecord(schema) || !('$ref' in schema)) return { schema, path };
    const others = Object.keys(schema).filter(
      (keyword) => !keyword.startsWith('$') && keyword !== 'definitions',
    );
    if (others.length > 0) return { schema, path };
    const target = this.resolve(schema['$ref'], path);
    return this.inlineRoot(target.schema, target.path);
  }

  private lowerPart(schema: unknown, path: SchemaPath): Lowered {
    if (isNever(schema)) {
      throw new SchemaError(
        `No value fits the schema at ${showPlace(path)}, so no answer can be asked for. Take it out.`,
        { code: 'unsupported', path },
      );
    }
    if (!isRecord(schema) || isAnything(schema)) {
      this.change(path, 'type', 'JSON text in a string');
      return jsonText(isRecord(schema) ? schema['description'] : undefined);
    }
    if ('$ref' in schema) return this.lowerReference(schema, path);
    if (Array.isArray(schema['allOf'])) return this.lowerAll(schema, schema['allOf'], path);
    if ('const' in schema) return lowerLiteral(schema, [schema['const']], path, this);
    if (Array.isArray(schema['enum']))
      return lowerLiteral(schema, this.valuesOf(schema, schema['enum']), path, this);
    if (Array.isArray(schema['oneOf'])) return lowerUnion(schema, 'oneOf', path, this);
    if (Array.isArray(schema['anyOf'])) return lowerUnion(schema, 'anyOf', path, this);
    return this.lowerTyped(schema, path);
  }

  /** Values of an enumeration that the keywords beside it allow. */
  private valuesOf(schema: SchemaObject, values: readonly unknown[]): readonly unknown[] {
    const allowed = values.filter((value) => this.fitsOriginal(schema, value));
    return allowed.length > 0 ? allowed : values;
  }

  private lowerTyped(schema: SchemaObject, path: SchemaPath): Lowered {
    const types = typesOf(schema);
    const [only] = types;
    const hasParts = types.includes('object') || types.includes('array');
    if (types.length > 1 && hasParts) {
      const { type: _types, ...rest } = schema;
      return lowerUnion(
        {
          ...(typeof schema['description'] === 'string' && { description: schema['description'] }),
          anyOf: types.map((type) => ({ type, ...keywordsOf(rest, type) })),
        },
        'anyOf',
        path,
        this,
      );
    }
    if (only === 'object') return lowerObject(schema, path, this);
    if (only === 'array') return lowerArray(schema, path, this);
    if (types.length === 0) {
      const kept = keepKeywords(schema, Object.keys(schema).filter(isAssertion), path, this);
      return jsonText(kept['description']);
    }
    return {
      schema: {
        type: types.length === 1 ? only : types,
        ...keepKeywords(schema, Object.keys(schema).filter(isAssertion), path, this),
      },
      inverse: undefined,
    };
  }

  private lowerAll(schema: SchemaObject, list: readonly unknown[], path: SchemaPath): Lowered {
    const { allOf: _allOf, ...beside } = schema;
    const [only] = list;
    if (list.length === 1 && isRecord(only) && isAnything(beside))
      return this.lower('$ref' in only ? only : { ...beside, ...only }, path);
    let merged: SchemaObject = beside;
    const open = [...list];
    for (const part of open) {
      if (isNever(part)) return this.lowerPart(false, path);
      if (!isRecord(part)) continue;
      const { $ref, ...rest } = part;
      merged = mergeSchemas(merged, rest, path, this);
      if ($ref === undefined) continue;
      const target = this.resolve($ref, path).schema;
      open.push(isRecord(target) ? withoutDefinitions(target) : target);
    }
    this.change([...path, 'allOf'], 'allOf', 'one schema of all its parts');
    return this.lowerInline(schema, merged, path);
  }

  /** What is put in the place of a reference may lead back to the same place, and would have no end. */
  private lowerInline(site: SchemaObject, merged: SchemaObject, path: SchemaPath): Lowered {
    if (this.inlining.has(site)) return this.cutRecursion(site, path);
    const isOriginal = this.places.has(site);
    if (isOriginal) this.inlining.add(site);
    const lowered = this.lower(merged, path);
    if (isOriginal) this.inlining.delete(site);
    return lowered;
  }

  private lowerReference(schema: SchemaObject, path: SchemaPath): Lowered {
    const { $ref, ...beside } = schema;
    const target = this.resolve($ref, path);
    const asserts = Object.keys(beside).some(
      (keyword) => !isAnything({ [keyword]: true }) && keyword !== 'discriminator',
    );
    if (asserts && isRecord(target.schema))
      return this.lowerInline(
        schema,
        mergeSchemas(beside, withoutDefinitions(target.schema), path, this),
        path,
      );
    if (this.profile.recursion === 'json-text' && this.open.has(pointerOf(target.path)))
      return this.cutRecursion(schema, path);
    if (!isRecord(target.schema) || isAnything(target.schema)) return this.lower(target.schema, path);
    if (this.open.has(pointerOf(target.path))) this.change([...path, '$ref'], '$ref', 'recursion is kept');
    const definition = this.define(target);
    const inverse: InversePart = (value) => {
      const turnBack = definition.lowered?.inverse;
      return turnBack === undefined ? value : turnBack(value);
    };
    return { schema: { $ref: `#/$defs/${definition.name}` }, inverse };
  }

  private cutRecursion(schema: SchemaObject, path: SchemaPath): Lowered {
    this.lose(
      [...path, '$ref'],
      '$ref',
      'the provider has no recursion: from here on the value is asked for as JSON text',
    );
    return jsonText(schema['description']);
  }

  private define(target: PlacedSchema): Definition {
    const pointer = pointerOf(target.path);
    const known = this.definitions.get(pointer);
    if (known !== undefined) return known;
    const definition: Definition = { name: this.freeName(target.path), lowered: undefined };
    this.definitions.set(pointer, definition);
    const wasOpen = this.open.has(pointer);
    this.open.add(pointer);
    definition.lowered = this.lower(target.schema, target.path);
    if (!wasOpen) this.open.delete(pointer);
    return definition;
  }

  private freeName(path: SchemaPath): string {
    const isDefinition = path.length === 2 && (path[0] === '$defs' || path[0] === 'definitions');
    const wished = path.length === 0 ? 'root' : String(isDefinition ? path[1] : path.join('_'));
    const base = wished.replaceAll(/[^\w.-]/gu, '_');
    const taken = new Set([...this.definitions.values()].map(({ name }) => name));
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
    return name;
  }
}

function withoutDefinitions(schema: SchemaObject): SchemaObject {
  const { $defs: _defs, definitions: _definitions, $schema: _schema, $id: _id, ...rest } = schema;
  return rest;
}

/**
 * Schema lowering: rebuilds a schema part by part in the forms that a provider supports. Each part
 * is lowered once. Pure.
 */
import { SchemaError } from '../../../errors/schema-error.ts';
import { NullAcceptance } from '../analysis/accepts-null.ts';
import type { WorkBudget } from '../../work/work-budget.ts';
import { AnswerFit } from '../analysis/answer-fit.ts';
import { Conjunctions } from '../analysis/conjunctions.ts';
import { copyLowered, countParts } from '../analysis/copy-lowered.ts';
import type { DialectProfile } from '../profiles/dialect-profile.ts';
import { withDraft07Bounds } from '../analysis/draft-04-bounds.ts';
import { isAnything, isNever, isAssertion } from '../analysis/is-never.ts';
import {
  jsonText,
  type Lowered,
  type LoweringPort,
  type SchemaChange,
  type SchemaLoss,
} from './lowering-port.ts';
import { keepKeywords } from './keep-keywords.ts';
import { lowerArray } from './lower-array.ts';
import { lowerLiteral, multiplesOf } from './lower-literal.ts';
import { lowerObject } from './lower-object.ts';
import { lowerUnion } from './lower-union.ts';
import { LoweredDefinitions, referTo, type LoweredDefinition } from './lowered-definitions.ts';
import { mergeSchemas } from '../analysis/merge-schemas.ts';
import { ReferenceIndex, resolveReference } from '../analysis/reference-index.ts';
import { isRecord } from '../../../kit/is-record.ts';
import { pointerOf, showPlace, type PlacedSchema, type SchemaObject } from '../analysis/schema-place.ts';
import type { SchemaPath } from '../analysis/schema-place.ts';
import { collectNodes } from '../analysis/schema-rule.ts';
import { keywordsOf, typesOf } from '../analysis/schema-types.ts';

/** A lowered part with more objects than this becomes a definition when it is used again. */
const MAX_COPIED_PARTS = 16;

/** Cost of lowering one part in units, in addition to the work of the keywords. */
const PART_WORK = 40;

export class SchemaLowering implements LoweringPort {
  readonly profile: DialectProfile;
  readonly root: unknown;
  readonly work: WorkBudget;
  readonly losses: SchemaLoss[] = [];
  readonly changes: SchemaChange[] = [];
  /** Original path of each lowered part. */
  readonly origins: Map<object, SchemaPath> = new Map();
  readonly fit: AnswerFit;
  readonly conjunctions: Conjunctions;
  readonly references: ReferenceIndex;
  /** Number of optional properties that still have to become required ones that accept `null`. */
  nullablesLeft: number;
  readonly #nulls: NullAcceptance;
  readonly #definitions = new LoweredDefinitions();
  readonly #places = new Map<unknown, SchemaPath>();
  readonly #done = new Map<object, Lowered>();
  readonly #inProgress = new Set<object>();
  readonly #reported = new Set<string>();

  constructor(root: unknown, profile: DialectProfile, work: WorkBudget, nullables = 0) {
    this.root = root;
    this.profile = profile;
    this.work = work;
    this.nullablesLeft = nullables;
    if (isRecord(root)) {
      for (const { schema, path } of collectNodes(root, work)) this.#places.set(schema, path);
    }
    this.references = new ReferenceIndex(root);
    this.#nulls = new NullAcceptance(this.references, work);
    this.conjunctions = new Conjunctions(work, (schema) => this.#places.has(schema));
    this.fit = new AnswerFit(root, () => this.#definitions.schemas());
  }

  /** Lowers the root. Its definitions are those that it refers to. */
  run(): Lowered {
    const target = this.#inlineRoot(this.root, []);
    const lowered = this.lower(target.schema, target.path);
    return this.#definitions.referredBy(lowered.schema)?.lowered ?? lowered;
  }

  definitionsOf(): SchemaObject {
    return this.#definitions.schemas();
  }

  lower(schema: unknown, fallback: SchemaPath): Lowered {
    const path = this.#places.get(schema) ?? fallback;
    this.work.spend(PART_WORK + path.length, path);
    if (!isRecord(schema)) return this.#placed(this.#lowerPart(schema, path), path);
    const known = this.#done.get(schema);
    if (known !== undefined) return this.#reuse(schema, known, path);
    if (this.#inProgress.has(schema)) return this.#recur(schema, path);
    this.#inProgress.add(schema);
    const lowered = this.#placed(this.#lowerPart(schema, path), path);
    this.#inProgress.delete(schema);
    this.#done.set(schema, lowered);
    const definition = this.#definitions.get(schema);
    if (definition === undefined) return lowered;
    definition.lowered = lowered;
    return referTo(definition);
  }

  lose(path: SchemaPath, keyword: string, reason: string): void {
    if (this.#isNew('loss', path, keyword)) this.losses.push({ path, keyword, reason });
  }

  change(path: SchemaPath, keyword: string, form: string): void {
    if (this.#isNew('change', path, keyword)) this.changes.push({ path, keyword, form });
  }

  resolve(reference: unknown, path: SchemaPath): PlacedSchema {
    return resolveReference(this.references, reference, path);
  }

  acceptsNull(schema: unknown): boolean {
    return this.#nulls.accepts(schema);
  }

  merge(first: SchemaObject, second: SchemaObject, path: SchemaPath): SchemaObject {
    const { work, conjunctions } = this;
    const lose = (keyword: string): void =>
      this.lose(
        path,
        keyword,
        'two schemas that must both hold differ in it, and only the first is requested',
      );
    return mergeSchemas(first, second, { work, conjunctions, lose });
  }

  #isNew(kind: string, path: SchemaPath, keyword: string): boolean {
    this.work.spend(3 + path.length, path);
    const key = `${kind} ${keyword} ${pointerOf(path)}`;
    return this.#reported.size !== this.#reported.add(key).size;
  }

  #placed(lowered: Lowered, path: SchemaPath): Lowered {
    if (!this.origins.has(lowered.schema)) this.origins.set(lowered.schema, path);
    return lowered;
  }

  /** Copies a small part that is used again. A larger one becomes a definition. */
  #reuse(schema: SchemaObject, known: Lowered, path: SchemaPath): Lowered {
    const defined = this.#definitions.get(schema);
    if (defined !== undefined) return referTo(defined);
    const parts = countParts(known.schema, MAX_COPIED_PARTS);
    this.work.spend(parts * 2, path);
    const copy = (): Lowered => ({ schema: this.#copy(known.schema, path), inverse: known.inverse });
    if (parts <= MAX_COPIED_PARTS) return copy();
    const definition = this.#definitions.add(schema, path);
    definition.lowered = copy();
    return referTo(definition);
  }

  #copy(schema: SchemaObject, path: SchemaPath): SchemaObject {
    return copyLowered(schema, (original, copied) => {
      this.work.spend(12 + path.length, path);
      this.origins.set(copied, this.origins.get(original) ?? path);
    });
  }

  #inlineRoot(schema: unknown, path: SchemaPath, steps = 100): PlacedSchema {
    if (!isRecord(schema) || !('$ref' in schema) || steps === 0) return { schema, path };
    const others = Object.keys(schema).filter(
      (keyword) => !keyword.startsWith('$') && keyword !== 'definitions',
    );
    if (others.length > 0) return { schema, path };
    const target = this.resolve(schema['$ref'], path);
    return this.#inlineRoot(target.schema, target.path, steps - 1);
  }

  #lowerPart(schema: unknown, path: SchemaPath): Lowered {
    if (isNever(schema)) throw refuseNever(path);
    if (!isRecord(schema) || isAnything(schema)) {
      this.change(path, 'type', 'JSON text in a string');
      return jsonText(isRecord(schema) ? schema['description'] : undefined);
    }
    if ('$ref' in schema) return this.#lowerReference(schema, path);
    if (Array.isArray(schema['allOf'])) return this.#lowerAll(schema, schema['allOf'], path);
    if ('const' in schema) return lowerLiteral(schema, [schema['const']], path, this);
    if (Array.isArray(schema['enum'])) {
      return lowerLiteral(schema, this.#valuesOf(schema, schema['enum'], path), path, this);
    }
    if (Array.isArray(schema['oneOf'])) return lowerUnion(schema, 'oneOf', path, this);
    if (Array.isArray(schema['anyOf'])) return lowerUnion(schema, 'anyOf', path, this);
    return this.#lowerTyped(withDraft07Bounds(schema), path);
  }

  /** Returns the values of an enumeration that the keywords beside it allow. */
  #valuesOf(schema: SchemaObject, values: readonly unknown[], path: SchemaPath): readonly unknown[] {
    const allowed = this.fit.filter(schema, values, this.work);
    if (allowed.length === 0 && values.length > 0) throw refuseNever(path);
    return allowed;
  }

  #lowerTyped(schema: SchemaObject, path: SchemaPath): Lowered {
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
    const multiples = multiplesOf(schema, types, this);
    if (multiples !== undefined) return lowerLiteral(schema, multiples, path, this);
    const kept = keepKeywords(schema, Object.keys(schema).filter(isAssertion), path, this);
    if (types.length === 0) return jsonText(kept['description']);
    return { schema: { type: types.length === 1 ? only : types, ...kept }, inverse: undefined };
  }

  #lowerAll(schema: SchemaObject, list: readonly unknown[], path: SchemaPath): Lowered {
    const { allOf: _allOf, ...beside } = schema;
    const [only] = list;
    if (list.length === 1 && isRecord(only) && isAnything(beside)) {
      return this.lower('$ref' in only ? only : { ...beside, ...only }, path);
    }
    this.change([...path, 'allOf'], 'allOf', 'one schema of all its parts');
    return this.lower(this.mergeAll(schema, path), path);
  }

  mergeAll(site: SchemaObject, path: SchemaPath): SchemaObject {
    let merged: SchemaObject = {};
    const open = new Set<unknown>([site]);
    for (const part of open) {
      if (isNever(part)) throw refuseNever(path);
      if (!isRecord(part)) continue;
      const { $ref, allOf, ...rest } = part === site ? part : withoutDefinitions(part);
      merged = this.merge(merged, rest, path);
      if ($ref !== undefined) open.add(this.resolve($ref, path).schema);
      if (Array.isArray(allOf)) for (const member of allOf as unknown[]) open.add(member);
    }
    return merged;
  }

  #lowerReference(schema: SchemaObject, path: SchemaPath): Lowered {
    const { $ref, ...beside } = schema;
    const target = this.resolve($ref, path);
    const asserts = Object.keys(beside).some(
      (keyword) => !isAnything({ [keyword]: true }) && keyword !== 'discriminator',
    );
    if (asserts && isRecord(target.schema)) return this.lower(this.mergeAll(schema, path), path);
    if (!isRecord(target.schema) || isAnything(target.schema)) return this.lower(target.schema, path);
    if (this.#inProgress.has(target.schema)) {
      if (this.profile.recursion === 'json-text') return this.#cutRecursion(schema, path);
      this.change([...path, '$ref'], '$ref', 'recursion is kept');
    }
    return referTo(this.#define(target.schema, target.path));
  }

  /** A merge that leads back to itself becomes a definition. */
  #recur(schema: SchemaObject, path: SchemaPath): Lowered {
    if (this.profile.recursion === 'json-text') return this.#cutRecursion(schema, path);
    this.change([...path, '$ref'], '$ref', 'recursion is kept');
    return referTo(this.#define(schema, path));
  }

  #cutRecursion(schema: SchemaObject, path: SchemaPath): Lowered {
    this.lose(
      [...path, '$ref'],
      '$ref',
      'the provider does not support recursion: from here on the value is requested as JSON text',
    );
    return jsonText(schema['description']);
  }

  #define(schema: SchemaObject, path: SchemaPath): LoweredDefinition {
    const known = this.#definitions.get(schema);
    if (known !== undefined) return known;
    const lowered = this.#done.get(schema);
    const definition = this.#definitions.add(schema, path);
    if (lowered !== undefined) {
      definition.lowered = { schema: this.#copy(lowered.schema, path), inverse: lowered.inverse };
    } else if (!this.#inProgress.has(schema)) this.lower(schema, path);
    return definition;
  }
}

function refuseNever(path: SchemaPath): SchemaError {
  return new SchemaError(
    `No value fits the schema at ${showPlace(path)}, so no answer is possible. Remove it.`,
    { code: 'unsupported', path },
  );
}

function withoutDefinitions(schema: SchemaObject): SchemaObject {
  const { $defs: _defs, definitions: _definitions, $schema: _schema, $id: _id, ...rest } = schema;
  return rest;
}

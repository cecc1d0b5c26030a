/**
 * Refusal of schemas that no JSON value fits, before an agent or a model is asked for one. Works for
 * Zod, Valibot, ArkType and every schema that converts itself. Pure.
 */
import { cut } from '../kit/describe-value.ts';
import { UsageError } from '../errors/usage-error.ts';
import type { ImpossiblePart } from './dialects/impossible/bounds.ts';
import { ImpossibleParts } from './dialects/impossible/impossible-parts.ts';
import type { ReferenceIndex } from './dialects/analysis/reference-index.ts';
import { showPlace, type PlacedSchema } from './dialects/analysis/schema-place.ts';
import { toJsonSchema } from './to-json-schema.ts';
import { outlineValibot } from './valibot-outline.ts';
import { isObject, MAX_PARTS, zodDefinitionOf } from './zod-definition.ts';
import { outlineZod } from './zod-outline.ts';

/**
 * Rejects a schema that no JSON value fits.
 *
 * @throws UsageError `unsupported`, with the path inside the schema and the remedy
 */
export function assertPossible(schema: unknown): void {
  const part = findImpossible(schema);
  if (part === undefined) return;
  throw new UsageError(
    `Expected a schema that some JSON fits, got one that none fits, because of ${cut(showPlace(part.path))}: ${part.why}. ${part.cure}`,
    { code: 'unsupported' },
  );
}

/** Returns the part because of which no JSON value fits a schema. Undefined if one could. */
export function findImpossible(schema: unknown): ImpossiblePart | undefined {
  try {
    if (!isObject(schema)) return undefined;
    const part = valibotBelow(schema) ?? schema;
    const { root, references }: SchemaOutline = isSchemaOfLibrary(part)
      ? new LibraryOutline(part)
      : convert(schema);
    return new ImpossibleParts(root, references).explain(root);
  } catch {
    // Another check reports a schema that cannot be read.
    return undefined;
  }
}

/** An outline, and the parts that it refers to. */
interface SchemaOutline {
  readonly root: unknown;
  readonly references?: Pick<ReferenceIndex, 'find'>;
}

/** The libraries whose schemas are read part by part, because one part can fail their conversion. */
function isSchemaOfLibrary(schema: unknown): boolean {
  return zodDefinitionOf(schema) !== undefined || (isObject(schema) && schema['kind'] === 'schema');
}

/** Reads each part of a Zod or Valibot schema once. */
class LibraryOutline implements SchemaOutline {
  readonly root: unknown;
  readonly references = {
    find: (name: string): PlacedSchema | undefined => {
      const schema = this.#outlines.get(name);
      return schema === undefined ? undefined : { schema, path: [] };
    },
  };
  readonly #names = new Map<unknown, string>();
  readonly #outlines = new Map<string, unknown>();

  constructor(schema: unknown) {
    this.root = this.#outline(schema);
  }

  readonly #outline = (part: unknown): unknown => {
    const known = this.#names.get(part);
    if (known !== undefined) return { $ref: known };
    const definition = zodDefinitionOf(part);
    if (!isObject(part) || !isSchemaOfLibrary(part)) return true;
    if (this.#names.size >= MAX_PARTS) throw new RangeError('The schema has too many parts.');
    const name = String(this.#names.size);
    this.#names.set(part, name);
    const outline =
      definition === undefined ? outlineValibot(part, this.#outline) : outlineZod(definition, this.#outline);
    this.#outlines.set(name, outline);
    return outline;
  };
}

/** Returns the Valibot schema that a converting one hides: its conversion names it last. */
function valibotBelow(schema: Readonly<Record<string, unknown>>): unknown {
  const standard = schema['~standard'];
  const converter =
    isObject(standard) && standard['vendor'] === 'valibot' ? standard['jsonSchema'] : undefined;
  if (!isObject(converter) || typeof converter['input'] !== 'function') return undefined;
  let last: unknown;
  const overrideSchema = ({ valibotSchema }: { readonly valibotSchema: unknown }): void => {
    last = valibotSchema;
  };
  const libraryOptions = { errorMode: 'ignore', overrideSchema };
  Reflect.apply(converter['input'], converter, [{ target: 'draft-2020-12', libraryOptions }]);
  return last;
}

/** Converts a schema. ArkType is asked for what JSON lacks, which it would refuse otherwise. */
function convert(schema: Readonly<Record<string, unknown>>): SchemaOutline {
  const standard = schema['~standard'];
  const own = schema['toJsonSchema'];
  const isArkType = isObject(standard) && standard['vendor'] === 'arktype' && typeof own === 'function';
  return {
    root: isArkType
      ? Reflect.apply(own, schema, [{ fallback: LACKING }])
      : // Refused there if it is no schema.
        toJsonSchema(schema as never),
  };
}

const LACKING = {
  default: ({ base }: { readonly base: unknown }) => base,
  date: () => ({ type: 'date' }),
  domain: ({ domain }: { readonly domain: string }) => ({ type: domain }),
  proto: ({ proto }: { readonly proto: { readonly name: string } }) => ({ type: proto.name.toLowerCase() }),
  unit: ({ unit }: { readonly unit: unknown }) => ({ type: typeof unit }),
} as const;

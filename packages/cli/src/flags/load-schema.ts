/** Loader of `--schema`: a JSON Schema file, JSON on the command line, or an export of a module. */
import { extname } from 'node:path';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import { readChosenFile } from 'truecast/internal/support/open-chosen-file';
import { assertPossible } from '@truecast/core/internal/schema/assert-possible';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import { describeJsonError } from '@truecast/core/internal/json/parse-json';
import { importModule } from './import-module.ts';

/** Far above the largest schema that can be compiled. */
const MAX_SCHEMA_FILE_BYTES = 16 * 1024 * 1024;

const MODULE_EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'];

/**
 * Loads a schema.
 *
 * @param reference - `schema.json`, `{"type": …}`, or `./schema.ts#name` (without `#name`, the
 *   default export)
 * @throws UsageError if it cannot be read, is not a schema, or no value fits it; SchemaError if the JSON Schema is
 *   invalid
 */
export async function loadSchema(reference: string): Promise<StandardSchemaV1> {
  const schema = await readReference(reference);
  assertPossible(schema);
  return schema;
}

async function readReference(reference: string): Promise<StandardSchemaV1> {
  if (reference.trimStart().startsWith('{')) {
    return jsonSchema.unchecked(parseSchema(reference, 'The value of `--schema`'));
  }
  const [path = '', exportName = 'default'] = reference.split('#');
  return MODULE_EXTENSIONS.includes(extname(path))
    ? loadExport(path, exportName)
    : jsonSchema.unchecked(await loadJson(path));
}

async function loadJson(path: string): Promise<JsonSchema> {
  const text = await readChosenFile(path, MAX_SCHEMA_FILE_BYTES).catch((cause: unknown) => {
    throw new UsageError(
      `Expected \`--schema\` to name a readable file, got \`${path}\`. Check the path, or pass the JSON itself.`,
      { cause },
    );
  });
  return parseSchema(text, `The file \`${path}\` of \`--schema\``);
}

function parseSchema(source: string, subject: string): JsonSchema {
  // Some editors begin a file with a byte order mark.
  const text = source.replace(/^\uFEFF/u, '');
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch (cause) {
    throw new UsageError(
      `${subject} is not valid JSON: ${describeJsonError(text)}. Correct it, or name a module: \`./schema.ts#name\`.`,
      { cause },
    );
  }
  if (typeof value === 'boolean' || isRecord(value)) return value;
  throw new UsageError(
    `Expected ${subject.replace('The', 'the')} to contain a JSON Schema: an object or a boolean. Correct it.`,
  );
}

async function loadExport(path: string, exportName: string): Promise<StandardSchemaV1> {
  const loaded = await importModule(path, `The module \`${path}\` of \`--schema\``);
  const value = isRecord(loaded) ? loaded[exportName] : undefined;
  if (isStandardSchema(value)) return value;
  if (isRecord(value)) return jsonSchema.unchecked(value);
  throw new UsageError(
    `The module \`${path}\` exports no schema named \`${exportName}\`. Export a Standard Schema or a JSON Schema, and pass \`--schema ${path}#name\`.`,
  );
}

/** ArkType schemas are functions. */
function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value;
}

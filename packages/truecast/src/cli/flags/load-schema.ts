/** Loader of `--schema`: a JSON Schema file, or an export of a module. */
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/json-schema-types';
import { readChosenFile } from '../../support/open-chosen-file.ts';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';

/** Far above the largest schema that can be compiled. */
const MAX_SCHEMA_FILE_BYTES = 16 * 1024 * 1024;

const MODULE_EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'];

/**
 * Loads a schema.
 *
 * @param reference - `schema.json`, or `./schema.ts#name` (without `#name`, the default export)
 * @throws UsageError if it cannot be read or is not a schema; SchemaError if the JSON Schema is
 *   invalid
 */
export async function loadSchema(reference: string): Promise<StandardSchemaV1> {
  const [path = '', exportName = 'default'] = reference.split('#');
  return MODULE_EXTENSIONS.includes(extname(path))
    ? loadExport(path, exportName)
    : jsonSchema.unchecked(await loadJson(path));
}

async function loadJson(path: string): Promise<JsonSchema> {
  const text = await readChosenFile(path, MAX_SCHEMA_FILE_BYTES).catch((cause: unknown) => {
    throw new UsageError(`Expected \`--schema\` to name a readable file, got \`${path}\`. Check the path.`, {
      cause,
    });
  });
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'boolean' || isRecord(value)) return value;
  } catch (cause) {
    throw new UsageError(
      `The file \`${path}\` of \`--schema\` is not valid JSON. Write a JSON Schema into it, or name a module: \`./schema.ts#name\`.`,
      { cause },
    );
  }
  throw new UsageError(
    `Expected the file \`${path}\` of \`--schema\` to contain a JSON Schema: an object or a boolean. Correct the file.`,
  );
}

async function loadExport(path: string, exportName: string): Promise<StandardSchemaV1> {
  const loaded: unknown = await import(pathToFileURL(resolve(path)).href).catch((cause: unknown) => {
    throw new UsageError(
      `The module \`${path}\` of \`--schema\` could not be loaded: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  });
  const value = isRecord(loaded) ? loaded[exportName] : undefined;
  if (isStandardSchema(value)) return value;
  if (isRecord(value)) return jsonSchema.unchecked(value);
  throw new UsageError(
    `The module \`${path}\` exports no schema named \`${exportName}\`. Export a Standard Schema or a JSON Schema, and pass \`--schema ${path}#name\`.`,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** ArkType schemas are functions. */
function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value;
}

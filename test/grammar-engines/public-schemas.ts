/** Public schemas: those of packages that are installed for the project itself, each definition on its own. */
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { isRecord } from '../../packages/core/src/kit/is-record.ts';

/** One schema, and where it is from. */
export interface PublicSchema {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

const FILES: Readonly<Record<string, readonly string[]>> = {
  '@agentclientprotocol/sdk': ['schema/v1/schema.json', 'schema/v2/schema.unstable.json'],
  '@seriousme/openapi-schema-validator': [
    'schemas/v2.0/schema.json',
    'schemas/v3.0/schema.json',
    'schemas/v3.1/schema.json',
  ],
  ajv: ['dist/refs/json-schema-draft-07.json'],
  knip: ['schema.json'],
  oxfmt: ['configuration_schema.json'],
  oxlint: ['configuration_schema.json'],
};

/** Reads them, in a fixed order. */
export async function readPublicSchemas(): Promise<readonly PublicSchema[]> {
  const files = Object.entries(FILES).flatMap(([name, paths]) => paths.map((path) => [name, path] as const));
  const read = await Promise.all(
    files.map(async ([name, path]) => {
      const folder = findPackageJSON(name, import.meta.url)?.replace(/package\.json$/u, '');
      if (folder === undefined) throw new Error(`The package \`${name}\` is not installed.`);
      const schema: unknown = JSON.parse(await readFile(join(folder, path), 'utf8'));
      return isRecord(schema) ? schemasIn(`${name}/${path}`, schema) : [];
    }),
  );
  return read.flat();
}

/** Returns the schema of a file, and each of its definitions with those that it needs beside it. */
function schemasIn(name: string, schema: Readonly<Record<string, unknown>>): readonly PublicSchema[] {
  const parts = ['$defs', 'definitions'].flatMap((keyword) => {
    const definitions = schema[keyword];
    if (!isRecord(definitions)) return [];
    return Object.keys(definitions).map((part) => ({
      name: `${name}#${part}`,
      schema: {
        [keyword]: neededBy(part, definitions),
        type: 'object',
        properties: { value: { $ref: `#/${keyword}/${part.replaceAll('~', '~0').replaceAll('/', '~1')}` } },
        required: ['value'],
        additionalProperties: false,
      },
    }));
  });
  return [{ name, schema }, ...parts];
}

function neededBy(
  part: string,
  definitions: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const needed = new Set([part]);
  for (const each of needed) {
    for (const [, name = ''] of JSON.stringify(definitions[each]).matchAll(/"#\/[^/"]+\/([^"]+)"/gu)) {
      if (Object.hasOwn(definitions, name)) needed.add(name);
    }
  }
  return Object.fromEntries([...needed].map((each) => [each, definitions[each]]));
}

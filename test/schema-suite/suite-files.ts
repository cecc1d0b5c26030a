/** Reads a folder with the layout of the JSON Schema Test Suite: `tests/<draft>/*.json`. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The supported drafts of the suite: the folder of each, and its `$schema`. */
export const SUITE_DRAFTS: Readonly<Record<string, { readonly folder: string; readonly declared: string }>> =
  {
    '2020-12': { folder: 'draft2020-12', declared: 'https://json-schema.org/draft/2020-12/schema' },
    '2019-09': { folder: 'draft2019-09', declared: 'https://json-schema.org/draft/2019-09/schema' },
    '7': { folder: 'draft7', declared: 'http://json-schema.org/draft-07/schema#' },
    '6': { folder: 'draft6', declared: 'http://json-schema.org/draft-06/schema#' },
    '4': { folder: 'draft4', declared: 'http://json-schema.org/draft-04/schema#' },
  };

/** A schema of the suite, with values to validate. */
export interface SuiteGroup {
  readonly description: string;
  readonly schema: boolean | Readonly<Record<string, unknown>>;
  readonly tests: readonly {
    readonly description: string;
    readonly data?: unknown;
    readonly valid: boolean;
  }[];
}

const groupSchema: z.ZodType<SuiteGroup> = z.object({
  description: z.string(),
  schema: z.union([z.boolean(), z.custom<Readonly<Record<string, unknown>>>(isObject, 'Expected an object')]),
  tests: z.array(z.object({ description: z.string(), data: z.unknown(), valid: z.boolean() })),
});

/**
 * Reads the groups of a draft by file. Optional ones, in deeper folders, are included only on
 * request.
 */
export async function readSuite(
  folder: string,
  draftFolder: string,
  includesOptional: boolean,
): Promise<ReadonlyMap<string, readonly SuiteGroup[]>> {
  const root = join(folder, 'tests', draftFolder);
  const names = (await readdir(root, { recursive: includesOptional })).filter((name) =>
    name.endsWith('.json'),
  );
  const files = names.toSorted().map(async (name): Promise<[string, readonly SuiteGroup[]]> => {
    const text = await readFile(join(root, name), 'utf8');
    return [name, z.array(groupSchema).parse(JSON.parse(text))];
  });
  return new Map(await Promise.all(files));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

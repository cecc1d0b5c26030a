/** Public entries: the source file of each entry of the packages, and the names that it exports. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { manifestOf } from '../architecture/source-tree.ts';
import { PUBLISHED } from './unpack-packages.ts';

/** The source file of each public entry, by its specifier. */
export const SOURCES: Readonly<Record<string, string>> = Object.fromEntries(
  PUBLISHED.flatMap((folder) => {
    const { name, exports } = manifestOf(folder);
    return Object.entries(exports)
      .filter(([subpath]) => !/^\.\/(?:internal|package\.json)/u.test(subpath))
      .map(([subpath, source]) => [join(name, subpath), join('packages', folder, source)] as const);
  }),
);

/** Returns the names of types that a module exports, including re-exports. */
export function exportedTypes(path: string): string[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const handedOn = [...text.matchAll(/^export type \{([^}]*)\}/gmu)].flatMap((match) =>
    (match[1] ?? '').split(',').map((name) => name.trim().replace(/^\w+ as /u, '')),
  );
  const ofFiles = [...text.matchAll(/^export type \* from '([^']+)'/gmu)].flatMap((match) =>
    exportedTypes(join(dirname(path), match[1] ?? '')),
  );
  const own = [...text.matchAll(/^export (?:interface|type) (\w+)/gmu)].map((match) => match[1] ?? '');
  return [...handedOn, ...ofFiles, ...own].filter((name) => name !== '').sort();
}

/** Returns the names of values that a module exports. */
export async function exportedValues(path: string): Promise<string[]> {
  const module: object = await import(`../../${path}`);
  return Object.keys(module).sort();
}

/** Source tree for the architecture tests: files, folders and imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository. */
const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

/** One import of one source file. */
export interface ImportEdge {
  /** Path of the importing file, relative to the repository's root. */
  readonly from: string;
  /** Path of the imported file relative to the root, or the package specifier as written. */
  readonly to: string;
  readonly isRelative: boolean;
}

/** Paths of the product's source files relative to the root, without tests. */
export function sourceFiles(folder = 'src'): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.(test|test-d|property\.test|examples)\.ts$/u.test(path))
    .map((path) => join(folder, path))
    .sort();
}

/** Returns the text of a file, by its path relative to the root. */
export function readSource(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

const IMPORT = /^(?:import|export)\s+(?:type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gmu;
const DYNAMIC_IMPORT = /\bimport\(\s*'([^']+)'\s*\)/gu;

/** Returns all imports of a file, including re-exports and dynamic ones. */
export function importsOf(path: string): ImportEdge[] {
  const text = readSource(path);
  const edge = (specifier: string): ImportEdge => {
    const isRelative = specifier.startsWith('.');
    const to = isRelative ? relative(ROOT, resolve(ROOT, dirname(path), specifier)) : specifier;
    return { from: path, to, isRelative };
  };
  return [
    ...[...text.matchAll(IMPORT)].map((match) => edge(match[1] ?? '')),
    ...[...text.matchAll(DYNAMIC_IMPORT)].map((match) => edge(match[1] ?? '')),
  ];
}

/** Returns the top folder of a file under `src`, or `face` for the package's entries. */
export function roomOf(path: string): string {
  const [, room = '', next] = path.split('/');
  return next === undefined || room === 'exports' ? 'face' : room;
}

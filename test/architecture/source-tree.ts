/** Source tree for the architecture tests: packages, files, folders and imports. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

/** One import of one source file. */
export interface ImportEdge {
  /** Path of the importing file, relative to the repository's root. */
  readonly from: string;
  /** Path of the imported file relative to the root, or the specifier of a foreign package. */
  readonly to: string;
  /** True for a file of one of our packages. */
  readonly isOwn: boolean;
  /** As the file writes it. */
  readonly specifier: string;
}

/** The manifest of a workspace, as far as the tests read it. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly files?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly exports: Readonly<Record<string, unknown>> };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Folder names below `packages/`, sorted. */
export const PACKAGES: readonly string[] = readdirSync(join(ROOT, 'packages')).sort();

/** Returns the manifest of a package, by its folder. */
export function manifestOf(folder: string): Manifest {
  return JSON.parse(readSource(`packages/${folder}/package.json`)) as Manifest;
}

/** Paths of the product's source files relative to the root, without tests. */
export function sourceFiles(folder = 'packages/*/src'): string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: ROOT })
    .filter((path) => !/\.(test|test-d|property\.test|examples)\.ts$/u.test(path))
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
  return importsIn(path, readSource(path));
}

/** Returns all imports of a file with this text. */
export function importsIn(path: string, text: string): ImportEdge[] {
  const edge = (specifier: string): ImportEdge => {
    const own = ownFile(path, specifier);
    return { from: path, to: own ?? specifier, isOwn: own !== undefined, specifier };
  };
  return [
    ...[...text.matchAll(IMPORT)].map((match) => edge(match[1] ?? '')),
    ...[...text.matchAll(DYNAMIC_IMPORT)].map((match) => edge(match[1] ?? '')),
  ];
}

/** Resolves a relative import, or one of our packages by its manifest. */
function ownFile(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const file = relative(ROOT, resolve(ROOT, dirname(path), specifier));
    return file.endsWith('package.json') ? undefined : file;
  }
  const folder = /^(?:@truecast\/([\w-]+)|truecast)(?:\/|$)/u.exec(specifier);
  if (folder === null) return undefined;
  const name = folder[1] ?? 'truecast';
  const subpath = specifier.replace(/^(?:@truecast\/[\w-]+|truecast)/u, '.');
  const internal = /^\.\/internal\/(.+)$/u.exec(subpath)?.[1];
  if (internal !== undefined) return `packages/${name}/src/${internal}.ts`;
  return join('packages', name, manifestOf(name).exports[subpath] ?? subpath);
}

/** Returns the package of a file, as its folder below `packages/`. */
export function packageOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** Packages that are one room. The others have a room per folder. */
const ONE_ROOM = ['cli', 'client', 'ensemble', 'host', 'model', 'server', 'store', 'testing'];
/** Rooms inside them. */
const ROOMS_INSIDE = [
  'server/serve',
  'testing/scripted-model',
  'model/telemetry',
  'model/failure',
  'model/tools',
];

/** Returns the room of a file: `face` for the entries of a package. */
export function roomOf(path: string): string {
  const [, folder = '', , room = '', next] = path.split('/');
  if ((next === undefined && room === 'index.ts') || room === 'exports') return 'face';
  if (ONE_ROOM.includes(folder) && !ROOMS_INSIDE.includes(`${folder}/${room}`)) return folder;
  return room;
}

/** Returns the folder of a room. */
export function folderOf(room: string): string {
  if (ONE_ROOM.includes(room)) return `packages/${room}/src`;
  const [found] = globSync(`packages/*/src/${room}`, { cwd: ROOT });
  return found ?? room;
}

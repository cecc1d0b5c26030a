/**
 * Internal entries of each package: the names that our other packages import from
 * `<package>/internal/<file>`. The build bundles them into one module, `<package>/internal`, and
 * folders whose dependencies load slowly into modules beside it.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { CARRIED_BY, packageFolders, publishedFolders } from './published-manifest.ts';

const ROOT: string = join(import.meta.dirname, '..');
/** A module that another package imports, and the names. */
const IMPORT =
  /^(?:import|export) (?:type )?\{([^}]*)\} from '((?:@truecast\/[\w-]+|truecast)\/internal)\/([^']+)';/gmu;
const TYPE_QUERY = /import\('((?:@truecast\/[\w-]+|truecast)\/internal)\/([^']+)'\)/gu;
const TEST = /(?:\.test|\.test-d|\/test-[^/]+)\.ts$/u;

/**
 * Internal folders with separate modules: those of the core are in each command, without the schema engine,
 * two load Zod, two must load nothing else of their package, one loads the YAML parser, and two are for
 * commands that only open the server's database.
 */
const APART: readonly string[] = [
  '@truecast/core/internal/errors',
  '@truecast/core/internal/json',
  '@truecast/core/internal/kit',
  '@truecast/core/internal/options',
  '@truecast/core/internal/shape',
  '@truecast/model/internal/engine',
  '@truecast/model/internal/models-file',
  '@truecast/model/internal/telemetry',
  '@truecast/model/internal/tools',
  '@truecast/server/internal/models/file',
  '@truecast/server/internal/owners',
  '@truecast/server/internal/tokens',
];

/** The scripted model is built once: into this entry, from which the others import it. */
export const SCRIPTED_MODEL = {
  sources: '@truecast/testing/internal/scripted-model/',
  entry: '@truecast/model/testing',
  carrier: 'model',
} as const;

/** Specifier of the built module that contains an internal file. */
export function internalModuleOf(file: string): string | undefined {
  if (file.startsWith(SCRIPTED_MODEL.sources)) return SCRIPTED_MODEL.entry;
  const module = /^((?:@truecast\/[\w-]+|truecast)\/internal)\/.+$/u.exec(file)?.[1];
  return APART.find((folder) => file.startsWith(`${folder}/`)) ?? module;
}

/**
 * Writes `build/internal.ts`, and entries beside it, into each package that others import from.
 * Returns the names of the entries by folder.
 */
export function writeInternalEntries(): ReadonlyMap<string, readonly string[]> {
  const uses = collectUses();
  const written = publishedFolders().map((folder) => {
    const modules = [...uses.keys()].filter((module) => `${module}/`.startsWith(`${internalOf(folder)}/`));
    const names = modules.map((module) => {
      const name = module.slice(internalOf(folder).length - 'internal'.length);
      const path = join(ROOT, 'packages', folder, 'build', `${name.replaceAll('/', '-')}.ts`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, entryText(module, folder, uses.get(module) ?? new Map()));
      return name;
    });
    return [folder, names] as const;
  });
  return new Map(written);
}

function internalOf(folder: string): string {
  return folder === 'truecast' ? 'truecast/internal' : `@truecast/${folder}/internal`;
}

type Uses = Map<string, Map<string, Set<string>>>;

/** Maps each internal specifier to its files, and each file to the names that are imported. */
function collectUses(): Uses {
  const uses: Uses = new Map();
  for (const path of sourceFiles()) {
    const text = readFileSync(path, 'utf8');
    const query = TYPE_QUERY.exec(text);
    TYPE_QUERY.lastIndex = 0;
    if (query !== null) throw new Error(`${path}: use an import statement for ${query[1]}/${query[2]}`);
    const carriers = CARRIED_BY[relative(join(ROOT, 'packages'), path).split(sep)[0] ?? ''] ?? [];
    for (const [, names = '', specifier = '', file = ''] of text.matchAll(IMPORT)) {
      // Built together with the files that it imports.
      if (carriers.some((folder) => specifier === internalOf(folder))) continue;
      const module = internalModuleOf(`${specifier}/${file}`) ?? specifier;
      const files = uses.get(module) ?? new Map<string, Set<string>>();
      const known = files.get(file) ?? new Set<string>();
      for (const name of namesIn(names)) known.add(name);
      uses.set(module, files.set(file, known));
    }
  }
  return uses;
}

function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((each) =>
      each
        .trim()
        .replace(/^type /u, '')
        .replace(/ as .*$/u, ''),
    )
    .filter((name) => name !== '');
}

function sourceFiles(): readonly string[] {
  return packageFolders().flatMap((folder) => {
    const source = join(ROOT, 'packages', folder, 'src');
    return readdirSync(source, { recursive: true, encoding: 'utf8' })
      .map((name) => join(source, name))
      .filter((path) => path.endsWith('.ts') && !TEST.test(path));
  });
}

function entryText(
  specifier: string,
  folder: string,
  files: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  const owners = new Map<string, string>();
  const lines = [...files]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([file, names]) => {
      for (const name of names) {
        const owner = owners.get(name);
        if (owner !== undefined) {
          throw new Error(`${specifier}: \`${name}\` is in ${owner} and in ${file}. Rename one.`);
        }
        owners.set(name, file);
      }
      const types = typesOf(join(ROOT, 'packages', folder, 'src', `${file}.ts`));
      const list = [...names].sort().map((name) => (types.has(name) ? `type ${name}` : name));
      return `export { ${list.join(', ')} } from '../src/${file}.ts';`;
    });
  return `${lines.join('\n')}\n`;
}

function typesOf(path: string): ReadonlySet<string> {
  const text = readFileSync(path, 'utf8');
  const own = [...text.matchAll(/^export (?:interface|type) (\w+)/gmu)].map(([, name = '']) => name);
  const passedOn = [...text.matchAll(/^export type \{([^}]*)\}/gmu)].flatMap(([, names = '']) =>
    namesIn(names),
  );
  return new Set([...own, ...passedOn]);
}

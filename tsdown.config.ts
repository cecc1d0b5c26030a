/** Build of the packages: one ESM entry per subpath export, and the programs that run as separate processes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Rolldown, type UserConfig } from 'tsdown';
import { bundledLicenses } from './scripts/bundled-licenses.ts';
import { internalModuleOf, SCRIPTED_MODEL, writeInternalEntries } from './scripts/internal-entries.ts';
import { nodeGuard } from './scripts/node-guard.ts';
import { publishedDependencies, publishedFolders } from './scripts/published-manifest.ts';
import { pureInitializers } from './scripts/pure-initializers.ts';

const COMMON = {
  format: 'esm',
  platform: 'node',
  target: 'node22',
  hash: false,
  fixedExtension: true,
  logLevel: 'error',
  inputOptions: { checks: { pluginTimings: false } },
} as const;

/** Started by path, not imported: the command, a thread, inside a sandbox, and as the demo's agent. */
const PROGRAMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  store: { 'checkpoint-thread': 'src/sqlite/checkpoint-thread.ts' },
  truecast: {
    cli: '../cli/src/start.ts',
    forwarder: 'src/sandboxes/egress/forwarder.ts',
    bridge: 'src/run/finalizer/bridge.ts',
    'offline-agent': '../testing/src/offline-agent/offline-agent.ts',
    'scripted-agent-program': '../testing/src/scripted-agent/scripted-agent-program.ts',
  },
};

/** Foreign packages inside a build: of each, most is not used, or it has hundreds of files (ADR 0030). */
const BUNDLED: Readonly<Record<string, readonly string[]>> = {
  client: ['eventsource-parser'],
  ensemble: ['zod'],
  model: ['zod'],
  server: ['zod'],
  store: ['kysely', 'zod'],
  truecast: ['@modelcontextprotocol/core', '@modelcontextprotocol/server', 'zod'],
};

const DECLARATIONS = /\.d\.m?ts$/u;

const TYPES: string = join(import.meta.dirname, 'tsconfig.build.json');

/** Packages that others bundle for a browser. */
const FOR_BROWSERS: ReadonlySet<string> = new Set(['client', 'core']);

/** Private workspaces whose files become part of what imports them. */
const BUNDLED_WORKSPACES = /^@truecast\/(?:host|testing)\/internal$/u;

function sourceOf(folder: string, file: string): string {
  return join(import.meta.dirname, 'packages', folder, 'src', `${file}.ts`);
}

/**
 * Imports of internal files, which the sources name by their path. The build of another package has few
 * modules of them. Those of the package itself are in this build: a workspace that it carries shares
 * them with the library.
 */
function internalModules(folder: string): Rolldown.Plugin {
  const own = folder === 'truecast' ? 'truecast/internal' : `@truecast/${folder}/internal`;
  const dependencies = publishedDependencies(folder);
  return {
    name: 'internal-modules',
    resolveId: {
      order: 'pre',
      handler(id: string, importer?: string) {
        // The types of a bundled package are those of the installed one, if there is one.
        const isInstalled = id in dependencies && BUNDLED[folder]?.includes(id) === true;
        if (isInstalled && DECLARATIONS.test(importer ?? '')) return { id, external: true };
        const module = internalModuleOf(id);
        if (module === undefined || BUNDLED_WORKSPACES.test(module)) return null;
        if (id.startsWith(`${own}/`)) return sourceOf(folder, id.slice(own.length + 1));
        return module === SCRIPTED_MODEL.entry && folder === SCRIPTED_MODEL.carrier
          ? sourceOf('testing', id.slice('@truecast/testing/internal/'.length))
          : { id: module, external: true };
      },
    },
    /** The compiler writes the type of another file as an import of its path. */
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk' && file.fileName.endsWith('.d.mts')) file.code = importTypes(file.code);
      }
    },
  };
}

/** Returns declarations that import each type of an internal file once, from the module that has it. */
function importTypes(code: string): string {
  const imports = new Map<string, string>();
  const named = code.replaceAll(/\bimport\("([^"]+)"\)\.(\w+)/gu, (_text, id: string, name: string) => {
    const module = internalModuleOf(id) ?? id;
    imports.set(`${name}_`, `import { ${name} as ${name}_ } from "${module}";\n`);
    return `${name}_`;
  });
  return [...imports.values(), named].join('');
}

const internalEntries = writeInternalEntries();

/** The entries that users import, by the package's manifest: `exports` names the sources. */
function importedEntries(folder: string): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join('packages', folder, 'package.json'), 'utf8')) as {
    exports: Record<string, string>;
  };
  const entries = Object.entries(manifest.exports)
    .filter(([, source]) => source.endsWith('.ts') && !source.includes('*'))
    .map(([subpath, source]) => [subpath === '.' ? 'index' : subpath.slice(2), source] as const);
  return Object.fromEntries(entries);
}

function entriesOf(folder: string): Record<string, string> {
  return {
    ...importedEntries(folder),
    ...Object.fromEntries(
      (internalEntries.get(folder) ?? []).map((name) => [name, `build/${name.replaceAll('/', '-')}.ts`]),
    ),
    ...PROGRAMS[folder],
  };
}

const packages: UserConfig[] = publishedFolders().map((folder) =>
  defineConfig({
    ...COMMON,
    cwd: join('packages', folder),
    entry: entriesOf(folder),
    // The compiler writes the types of the client: those of its wire formats come from shapes.
    dts: folder === 'client' ? { generator: 'tsgo', tsconfig: TYPES } : { generator: 'oxc' },
    plugins: [
      internalModules(folder),
      bundledLicenses(),
      FOR_BROWSERS.has(folder)
        ? pureInitializers
        : nodeGuard(folder, new Set(Object.keys(importedEntries(folder)))),
    ],
    deps: {
      alwaysBundle: [/^@truecast\/(?:host|testing)\/internal/u, ...(BUNDLED[folder] ?? [])],
      // The command loads packages of ours that the library does not depend on.
      neverBundle: [
        /^@truecast\/[\w-]+(?:\/testing)?$/u,
        /^truecast(?:\/(?!internal).*)?$/u,
        ...Object.keys(publishedDependencies(folder)).filter(
          (name) => !name.startsWith('@truecast/') && BUNDLED[folder]?.includes(name) !== true,
        ),
      ],
    },
    // A prefix, so that no shared chunk has the name of an entry. Programs are found by path next to it.
    outputOptions: { chunkFileNames: 'shared-[name].mjs' },
  }),
);

/** Sent into sandboxes without `node_modules`, so it bundles everything that it imports. */
const acpBridge: UserConfig = defineConfig({
  ...COMMON,
  cwd: 'packages/truecast',
  entry: { 'acp-bridge': 'src/agents/acp/bridge.ts' },
  plugins: [bundledLicenses('-acp-bridge')],
  deps: { alwaysBundle: /./u, onlyBundle: false },
  clean: false,
  dts: false,
  minify: true,
});

const configs: UserConfig[] = [...packages, acpBridge];

export default configs;

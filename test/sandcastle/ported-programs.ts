/**
 * Programs for `@ai-hero/sandcastle`, compiled with its types and with those of `truecast/sandcastle`.
 * The templates and the pages come from the installed package. Only the import lines differ.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as sandcastle from '@ai-hero/sandcastle';
import ts from 'typescript-5';
import { builtCommand } from '../package/shared-build.ts';

const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));
/** Beside the built packages if there are any: their types are a third of the text of the sources. */
const FOLDER: string =
  process.env['TRUECAST_COMMAND'] === 'built' ? resolve(await builtCommand(), '../../../..') : ROOT;
const ORIGINAL: string = join(ROOT, 'node_modules/@ai-hero/sandcastle');

/** A program by its name, with the import lines of Sandcastle. */
export interface Program {
  readonly name: string;
  readonly code: string;
}

const UNKNOWN_NAME = 2304;

/** The entry of each value of the original. */
const ENTRIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(sandcastle).map((name) => [name, '@ai-hero/sandcastle'])),
  ...Object.fromEntries(
    ['daytona', 'docker', 'podman', 'vercel'].map((name) => [name, `@ai-hero/sandcastle/sandboxes/${name}`]),
  ),
  noSandbox: '@ai-hero/sandcastle/sandboxes/no-sandbox',
};

/** What the compiler reports: line from 1, and code. */
export type Diagnostic = `${number}: TS${number}`;

/** Returns the programs that the original's `init` writes. */
export function templates(): readonly Program[] {
  return globSync('dist/templates/*/main.mts', { cwd: ORIGINAL })
    .toSorted()
    .map((path) => ({
      name: `template ${basename(dirname(path))}`,
      code: readFileSync(join(ORIGINAL, path), 'utf8'),
    }));
}

/** Returns the programs of the original's page, in order. */
export function pagePrograms(): readonly Program[] {
  const page = readFileSync(join(ORIGINAL, 'README.md'), 'utf8');
  return [...page.matchAll(/^```(?:ts|typescript)\n(?<code>[\s\S]*?)^```$/gmu)].map((match) => ({
    name: `page line ${page.slice(0, match.index).split('\n').length}`,
    code: match.groups?.['code'] ?? '',
  }));
}

/** Returns the programs of this repository for `truecast/sandcastle`, as programs for the original. */
export function ownPrograms(): readonly Program[] {
  const paths = globSync('examples/migration/*.ts', { cwd: ROOT }).toSorted();
  return [...paths, 'test/package/sandcastle-programs.test-d.ts'].map((path) => ({
    name: path,
    code: readFileSync(join(ROOT, path), 'utf8')
      .replaceAll(
        /'(?:truecast\/|\.\.\/\.\.\/packages\/truecast\/src\/exports\/)sandcastle(?:\.ts)?'/gu,
        "'@ai-hero/sandcastle'",
      )
      .replaceAll(
        /'(?:truecast|\.\.\/\.\.\/packages\/truecast\/src)\/(sandboxes\/[\w-]+)(?:\.ts)?'/gu,
        "'@ai-hero/sandcastle/$1'",
      ),
  }));
}

/**
 * Adds imports of the library's values that an excerpt uses and does not import, in its first line. The
 * other names of an excerpt stay unknown.
 */
export function completed(programs: readonly Program[]): readonly Program[] {
  // Which names are unknown does not depend on the types of any library.
  const compiler = compile(programs, { noLib: true, noResolve: true, types: [] });
  return programs.map(({ name, code }) => {
    const unknown = compiler
      .getSemanticDiagnostics(compiler.getSourceFile(pathOf(name)))
      .flatMap(({ start = 0, length = 0, code: found }) =>
        found === UNKNOWN_NAME ? [code.slice(start, start + length)] : [],
      );
    const imports = [...new Set(unknown)].flatMap((word) => {
      const from = ENTRIES[word];
      return from === undefined ? [] : [`import { ${word} } from '${from}';`];
    });
    return { name: `completed ${name}`, code: `${imports.join(' ')}${code}` };
  });
}

/** Changes the import lines, as `docs/migrate.md` says. */
export function ported(code: string): string {
  return code
    .replaceAll('@ai-hero/sandcastle/sandboxes/', 'truecast/sandboxes/')
    .replaceAll(/(['"])@ai-hero\/sandcastle\1/gu, '$1truecast/sandcastle$1');
}

/** Parsed files of the libraries: every compiler has the same options, so they share them. */
const libraryFiles = new Map<string, ts.SourceFile>();

/** A compiler of programs that exist only in memory, beside the installed packages. */
export function compile(programs: readonly Program[], more: ts.CompilerOptions = {}): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2024,
    lib: ['lib.es2024.d.ts', 'lib.esnext.disposable.d.ts', 'lib.esnext.iterator.d.ts'],
    types: ['node'],
    module: ts.ModuleKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    ...more,
  };
  const texts = new Map(programs.map(({ name, code }) => [pathOf(name), code]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  return ts.createProgram({
    rootNames: [...texts.keys()],
    options,
    host: {
      ...host,
      fileExists: (path) => texts.has(path) || fileExists(path),
      readFile: (path) => texts.get(path) ?? readFile(path),
      getSourceFile: (path, version, ...rest) => {
        const text = texts.get(path);
        if (text !== undefined) return ts.createSourceFile(path, text, version, true);
        const file = libraryFiles.get(path) ?? getSourceFile(path, version, ...rest);
        if (file !== undefined) libraryFiles.set(path, file);
        return file;
      },
    },
  });
}

/** Returns what the compiler reports of one program, in order. */
export function diagnosticsOf(compiler: ts.Program, name: string): readonly Diagnostic[] {
  const file = compiler.getSourceFile(pathOf(name));
  return [...compiler.getSyntacticDiagnostics(file), ...compiler.getSemanticDiagnostics(file)].map(
    ({ start = 0, code }) =>
      `${(file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1}: TS${code}` as const,
  );
}

/** Returns the path of a program, beside the installed packages. */
export function pathOf(name: string): string {
  return join(FOLDER, `${name.replaceAll(/\W+/gu, '-')}.mts`);
}

/** Typed hovers for the samples: asks the compiler for the type of each name. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';
import { SAMPLE_HEADER, shownCode } from './samples.ts';
import { shownType } from './shown-type.ts';

/** A name in a sample, with its type. */
export interface Hover {
  /** Line and column in the shown code, from 0. */
  readonly line: number;
  readonly column: number;
  readonly name: string;
  readonly type: string;
  /** First sentences of the docstring. Empty for variables. */
  readonly text: string;
}

/** A shown sample. Docstrings of files are left out. */
export interface ShownSample {
  readonly code: string;
  readonly hovers: readonly Hover[];
}

/** Reads the samples at `paths`, relative to `root`, with one compiler for all. */
export function sampleHovers(root: string, paths: readonly string[]): readonly ShownSample[] {
  const files = paths.map((path) => join(root, path));
  const service = ts.createLanguageService(hostOf(root, files));
  const program = service.getProgram();
  return files.map((file) => {
    const source = program?.getSourceFile(file);
    if (source === undefined) throw new Error(`The compiler does not read ${file}.`);
    const header = SAMPLE_HEADER.exec(source.text)?.[0] ?? '';
    const skipped = header.split('\n').length - 1;
    const hovers = namesOf(source).flatMap((name) => {
      const shown = hoverOf(service, file, name, root);
      const { line, character } = source.getLineAndCharacterOfPosition(name.getStart());
      return shown === undefined
        ? []
        : [{ line: line - skipped, column: character, name: name.text, ...shown }];
    });
    return { code: shownCode(source.text), hovers };
  });
}

function hostOf(root: string, files: readonly string[]): ts.LanguageServiceHost {
  const { config } = ts.readConfigFile(join(root, 'site/tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(root, 'site'));
  return {
    getScriptFileNames: () => [...files],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) =>
      ts.sys.fileExists(path) ? ts.ScriptSnapshot.fromString(readFileSync(path, 'utf8')) : undefined,
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (path) => ts.sys.fileExists(path),
    readFile: (path) => ts.sys.readFile(path),
    readDirectory: (...search) => ts.sys.readDirectory(...search),
    directoryExists: (path) => ts.sys.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
    realpath: (path) => ts.sys.realpath?.(path) ?? path,
  };
}

/** Names of a file in order. Imports are skipped. */
function namesOf(source: ts.SourceFile): readonly ts.Identifier[] {
  const names: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isIdentifier(node)) names.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** Type and docstring, if the sample or one of our packages declares the name. */
function hoverOf(
  service: ts.LanguageService,
  file: string,
  name: ts.Identifier,
  root: string,
): Pick<Hover, 'type' | 'text'> | undefined {
  const at = name.getStart();
  const info = service.getQuickInfoAtPosition(file, at);
  const isOurs = service
    .getDefinitionAtPosition(file, at)
    ?.some(({ fileName }) => fileName === file || fileName.startsWith(join(root, 'packages/')));
  if (info === undefined || isOurs !== true) return undefined;
  const type = shownType(ts.displayPartsToString(info.displayParts), name.text);
  // Types of the schema library say nothing about the answer.
  if (type.includes(': z.Zod')) return undefined;
  const [text = ''] = ts.displayPartsToString(info.documentation).split('\n\n');
  return { type, text: text.replaceAll(/\s+/gu, ' ').trim() };
}

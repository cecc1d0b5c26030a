/** Import of a module that the user wrote: a schema or a configuration. A syntax error is reported with its line and column. */
import { existsSync, readFileSync } from 'node:fs';
// By namespace: a runtime without hooks imports TypeScript itself, and lacks the name.
import * as nodeModule from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { noteExecutedModule } from 'truecast/internal/support/executed-modules';
import { runProgram } from 'truecast/internal/process/run-program';

/**
 * Imports a module by its path.
 *
 * @param subject - beginning of the error message, such as "The module `s.ts` of `--schema`"
 * @throws UsageError if it cannot be loaded
 */
export async function importModule(path: string, subject: string): Promise<unknown> {
  if (!existsSync(resolve(path))) throw new UsageError(`${subject} does not exist. Check the path.`);
  noteExecutedModule(path);
  try {
    return await withoutTypeWarning(() => importByItsSyntax(resolve(path)));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const place = cause instanceof SyntaxError ? await findPlace(path, cause) : undefined;
    const where = place === undefined ? '' : ` at ${place}`;
    throw new UsageError(`${subject} could not be loaded${where}: ${reason}`, { cause });
  }
}

/** An `import` or `export` statement at the beginning of a line. */
const MODULE_SYNTAX = /^(?:import\s*[\w{*'"]|export\s+(?:default|const|async|function|class|\{))/mu;

/**
 * Imports a file as an ES module if it has the syntax of one. `npm init` writes
 * `"type": "commonjs"`, and Node then rejects `import` in each file named `.ts` or `.js`.
 */
async function importByItsSyntax(file: string): Promise<unknown> {
  const { href } = pathToFileURL(file);
  if (!('registerHooks' in nodeModule)) return await import(href);
  const hooks = nodeModule.registerHooks({
    load: (url, context, next) => {
      const isModule =
        url === href && /\.[jt]s$/u.test(file) && MODULE_SYNTAX.test(readFileSync(file, 'utf8'));
      const format = file.endsWith('.ts') ? 'module-typescript' : 'module';
      return next(url, isModule ? { ...context, format } : context);
    },
  });
  try {
    return await import(href);
  } finally {
    hooks.deregister();
  }
}

/**
 * Node warns of an ES module below a `package.json` without a type, as `npm init` writes it. The user
 * cannot avoid that by the name `truecast.config.ts`.
 */
async function withoutTypeWarning(load: () => Promise<unknown>): Promise<unknown> {
  const emit = process.emitWarning;
  process.emitWarning = (...args: readonly unknown[]): void => {
    const codes = args.map((each) => (isRecord(each) ? each['code'] : each));
    if (!codes.includes('MODULE_TYPELESS_PACKAGE_JSON')) Reflect.apply(emit, process, args);
  };
  try {
    return await load();
  } finally {
    process.emitWarning = emit;
  }
}

/**
 * Finds the place of a syntax error. Node reports it in the stack for TypeScript, and only with
 * `--check` for JavaScript.
 */
async function findPlace(path: string, error: SyntaxError): Promise<string | undefined> {
  const known = placeIn(error.stack ?? '');
  if (known !== undefined) return known;
  const { stderr } = await runProgram(process.execPath, ['--check', resolve(path)], { timeoutMs: 10_000 });
  return placeIn(stderr);
}

/** Reads `file:line`, where the file can be a URL, and the column from the caret below the quoted line. */
function placeIn(text: string): string | undefined {
  const [, file, line, quoted = ''] = /^(file:.*|\/.*|[A-Z]:.*):(\d+)\n([\s\S]*)/u.exec(text) ?? [];
  if (file === undefined) return undefined;
  const caret = quoted.split('\n').find((line) => /^\s*\^+\s*$/u.test(line));
  const column = caret === undefined ? '' : `, column ${caret.indexOf('^') + 1}`;
  return `${file.startsWith('file:') ? fileURLToPath(file) : file}, line ${line}${column}`;
}

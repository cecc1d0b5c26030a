/**
 * Command names: finds files of a checkout that a command line of git's configuration can start.
 * Pure.
 */
import { posix } from 'node:path';
import { foldPath } from './fold-name.ts';

/** Names of checkout files in command lines, all folded. */
export interface CommandNames {
  /** Paths from the top folder. */
  readonly paths: ReadonlySet<string>;
  /**
   * File names, in any folder, because a command can change its folder before it starts a script.
   */
  readonly baseNames: ReadonlySet<string>;
}

/** Placeholders for values that only the shell knows. */
const EXPANSIONS = /\$\([^)]*\)|`[^`]*`|\$\{[^}]*\}|\$\w+|%[A-Za-z]/gu;
const SEPARATORS = /[\s'"`;|&()<>{}=,!]+/u;
/** The shell joins text around quotes and backslashes: `"$PWD"/x` is one word. */
const JOINED = /['"\\]/gu;

/**
 * Returns the names that occur in command lines. Prefers false positives.
 *
 * A program outside of the checkout is not included. Programs that a script of the checkout starts
 * in turn are not followed.
 */
export function namesInCommands(commands: readonly string[], topLevel: string): CommandNames {
  const tokens = commands.flatMap((command) =>
    wordsOf(command)
      .map((token) => relativeToken(token, topLevel))
      .filter((token) => token !== undefined),
  );
  const withPath = tokens.filter((token) => /[./]/u.test(token));
  return {
    paths: new Set(tokens.map(cleanPath).filter((path) => path !== '')),
    baseNames: new Set(withPath.map((token) => foldPath(posix.basename(token)).join('/')).filter(isName)),
  };
}

/** Returns true if one of the commands can start the file at a path. */
export function isNamed({ paths, baseNames }: CommandNames, names: readonly string[]): boolean {
  if (paths.size === 0) return false;
  if (baseNames.has(names.at(-1) ?? '')) return true;
  let prefix = '';
  for (const [index, name] of names.entries()) {
    prefix = index === 0 ? name : `${prefix}/${name}`;
    // `node tools/format` starts a file in that folder.
    if (paths.has(prefix) && (index > 0 || names.length === 1)) return true;
  }
  return false;
}

function wordsOf(command: string): readonly string[] {
  const known = command.replace(EXPANSIONS, '.');
  return [known, known.replace(JOINED, '')].flatMap((form) => form.split(SEPARATORS));
}

function relativeToken(token: string, topLevel: string): string | undefined {
  if (token.startsWith(`${topLevel}/`)) return token.slice(topLevel.length + 1);
  return /^([/~]|-|[A-Za-z]:)/u.test(token) ? undefined : token;
}

function cleanPath(token: string): string {
  const normal = posix
    .normalize(token)
    .replace(/^(\.\.?\/)+/u, '')
    .replace(/\/$/u, '');
  return isName(normal) ? foldPath(normal).join('/') : '';
}

function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..';
}

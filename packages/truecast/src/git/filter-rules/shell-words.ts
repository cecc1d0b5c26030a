/**
 * Shell tokenizer: splits a filter's command line into simple commands, or fails if the result
 * depends on a shell. Pure.
 */

/** One simple command: its words, without quotes. */
export type SimpleCommand = readonly string[];

/**
 * Characters for shell expansion, grouping or redirection. With them, the words are unknown before
 * the command runs.
 */
const UNKNOWN = new Set(['$', '`', '(', ')', '{', '}', '<', '>', '*', '?', '[', '!', '#']);
const SEPARATORS = new Set([';', '|', '&', '\n']);
const HOME_REFERENCE = /^\$(HOME(?!\w)|\{HOME\})/u;
/** Redirections without a file name. */
const HARMLESS_REDIRECTION = /^[12]?>(\/dev\/null(?=[\s;|&]|$)|&[12](?=[\s;|&]|$))/u;

interface Scanner {
  readonly commands: string[][];
  words: string[];
  /** Undefined between two words. */
  word: string | undefined;
  rest: string;
}

/**
 * Splits a command line at `;`, `|`, `&&` and `||`.
 *
 * `$HOME` and a leading `~/` are replaced by `home`. Every other expansion, group and redirection
 * to a file is unsupported.
 *
 * @returns undefined if the words depend on a shell
 */
export function splitCommandLine(line: string, home: string): readonly SimpleCommand[] | undefined {
  const scanner: Scanner = { commands: [], words: [], word: undefined, rest: line };
  while (scanner.rest !== '') {
    if (!readNext(scanner, home)) return undefined;
  }
  endCommand(scanner);
  return scanner.commands;
}

function readNext(scanner: Scanner, home: string): boolean {
  const { rest } = scanner;
  const [character = ''] = rest;
  const redirection = scanner.word === undefined ? HARMLESS_REDIRECTION.exec(rest)?.[0] : undefined;
  if (redirection !== undefined) return take(scanner, redirection.length, undefined);
  if (character === "'") return readSingleQuoted(scanner);
  if (character === '"') return readDoubleQuoted(scanner, home);
  if (character === '\\') return rest.length > 1 && take(scanner, 2, rest[1]);
  if (/[ \t\r]/u.test(character)) {
    endWord(scanner);
    return take(scanner, 1, undefined);
  }
  if (SEPARATORS.has(character)) {
    endCommand(scanner);
    return take(scanner, 1, undefined);
  }
  return readPlain(scanner, character, home);
}

function readPlain(scanner: Scanner, character: string, home: string): boolean {
  const reference = HOME_REFERENCE.exec(scanner.rest)?.[0];
  if (reference !== undefined) return take(scanner, reference.length, home);
  if (character === '~' && scanner.word === undefined) {
    return scanner.rest.startsWith('~/') && take(scanner, 1, home);
  }
  // Inside a word both are plain characters, as in `a#b` or `a!`.
  const isPlainInside = scanner.word !== undefined && (character === '#' || character === '!');
  if (UNKNOWN.has(character) && !isPlainInside) return false;
  return take(scanner, 1, character);
}

function readSingleQuoted(scanner: Scanner): boolean {
  const end = scanner.rest.indexOf("'", 1);
  return end !== -1 && take(scanner, end + 1, scanner.rest.slice(1, end));
}

function readDoubleQuoted(scanner: Scanner, home: string): boolean {
  const body = /^"((?:[^"\\]|\\.)*)"/su.exec(scanner.rest);
  if (body === null) return false;
  const text = (body[1] ?? '').replaceAll(/\$(HOME(?!\w)|\{HOME\})/gu, () => home);
  if (/(?<!\\)(?:\\\\)*[$`]/u.test(text)) return false;
  return take(scanner, body[0].length, text.replaceAll(/\\([$`"\\\n])/gu, '$1'));
}

function take(scanner: Scanner, length: number, text: string | undefined): boolean {
  scanner.rest = scanner.rest.slice(length);
  if (text !== undefined) scanner.word = (scanner.word ?? '') + text;
  return true;
}

function endWord(scanner: Scanner): void {
  if (scanner.word !== undefined) scanner.words.push(scanner.word);
  scanner.word = undefined;
}

function endCommand(scanner: Scanner): void {
  endWord(scanner);
  if (scanner.words.length > 0) scanner.commands.push(scanner.words);
  scanner.words = [];
}

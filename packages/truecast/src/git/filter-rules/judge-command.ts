/** Filter command check: decides whether a command line can run or read a file of the repository. */
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join, normalize } from 'node:path';
import { isPathWithin } from '../../support/path-within.ts';
import {
  INLINE_CODE_OPTION,
  INSTRUCTION_FILE_OPTION,
  kindOfProgram,
  LOADING_VARIABLE,
  type ProgramKind,
} from './program-rules.ts';
import { splitCommandLine, type SimpleCommand } from './shell-words.ts';

/** Location of the repository's files, and the search path of programs. */
export interface FilterCommandContext {
  /**
   * Every folder that a guest can write or that contains the repository. Absolute, both as written
   * and with symlinks resolved.
   */
  readonly roots: readonly string[];
  readonly home: string;
  /** Value of `PATH`. */
  readonly searchPath: string;
}

/** Maximum depth of nested `sh -c`. */
const MAX_DEPTH = 3;

/**
 * Returns the reason why a filter's command must not run on the host next to a guest, or undefined
 * if it can.
 *
 * Conservative: a command that cannot be parsed counts as one that names a file of the repository.
 */
export function distrustCommand(line: string, context: FilterCommandContext, depth = 0): string | undefined {
  const commands = depth > MAX_DEPTH ? undefined : splitCommandLine(line, context.home);
  if (commands === undefined) return 'its command uses shell syntax that is not analysed';
  return firstReason(commands, (words) => distrustSimple(words, context, depth));
}

/** True for a command whose interpreter could load a module from the current folder. */
export function loadsFromCurrentFolder(line: string, home: string): boolean {
  return (splitCommandLine(line, home) ?? []).some((words) => {
    const [program = '', ...operands] = withoutPrefix(words);
    const kind = kindOfProgram(program);
    return kind === 'shell' || (kind === 'interpreter' && inlineCodeAt(operands) !== -1);
  });
}

/** Returns the programs that a command line starts. Empty if it cannot be parsed. */
export function programsOf(line: string, home: string): readonly string[] {
  const programs = (splitCommandLine(line, home) ?? []).flatMap((words) => withoutPrefix(words).slice(0, 1));
  return [...new Set(programs)];
}

function distrustSimple(
  words: SimpleCommand,
  context: FilterCommandContext,
  depth: number,
): string | undefined {
  const [program, ...operands] = withoutPrefix(words);
  if (program === undefined) return 'its command starts no program';
  const variables = words.slice(0, words.length - operands.length - 1).filter(isAssignment);
  const kind = kindOfProgram(program, operands[0]);
  if (kind === 'project-runner') return `\`${program}\` runs code that files of the current folder define`;
  if (kind === 'command-runner') return `\`${program}\` runs a command that is not analysed`;
  return (
    firstReason(variables, (variable) => distrustVariable(variable, context)) ??
    distrustProgram(program, context) ??
    distrustArguments({ program, operands, kind }, context, depth)
  );
}

interface StartedProgram {
  readonly program: string;
  readonly operands: SimpleCommand;
  readonly kind: ProgramKind;
}

function distrustArguments(
  { program, operands, kind }: StartedProgram,
  context: FilterCommandContext,
  depth: number,
): string | undefined {
  if (kind === 'shell') return distrustShell(operands, context, depth);
  if (kind === 'interpreter') return distrustInterpreter(program, operands, context);
  return distrustOperands(operands, kind, context);
}

function distrustVariable(variable: string, context: FilterCommandContext): string | undefined {
  const [name = ''] = variable.split('=', 1);
  if (LOADING_VARIABLE.test(name)) return `its command sets \`${name}\``;
  return distrustPart(variable.slice(name.length + 1), 'plain', context);
}

function isAssignment(word: string): boolean {
  return /^[A-Za-z_]\w*=/u.test(word);
}

function isPrefix(word: string): boolean {
  return isAssignment(word) || ['env', 'exec', 'command', 'nohup', '--'].includes(word);
}

function withoutPrefix(words: SimpleCommand): SimpleCommand {
  const first = words.findIndex((word) => !isPrefix(word));
  return first === -1 ? [] : words.slice(first);
}

function distrustProgram(program: string, context: FilterCommandContext): string | undefined {
  if (program.startsWith('-') || program.includes('%')) return `its program \`${program}\` is not analysed`;
  if (isAbsolute(program)) return names(program, context);
  if (program.includes('/')) return `it names \`${program}\`, a file of the repository`;
  for (const folder of context.searchPath.split(delimiter)) {
    const path = join(folder, program);
    if (folder === '' || !existsSync(path)) continue;
    if (!isAbsolute(folder)) return `\`${program}\` is found in \`${folder}\`, a relative folder of the PATH`;
    // A shell starts the first match.
    return names(path, context);
  }
  return undefined;
}

function distrustShell(
  operands: SimpleCommand,
  context: FilterCommandContext,
  depth: number,
): string | undefined {
  const [option, script, ...rest] = operands;
  if (option === undefined || !/^-[euxfC]*c$/u.test(option) || script === undefined) {
    return distrustScript(option, context) ?? distrustOperands(operands, 'plain', context);
  }
  return distrustCommand(script, context, depth + 1) ?? distrustOperands(rest, 'plain', context);
}

function distrustInterpreter(
  program: string,
  operands: SimpleCommand,
  context: FilterCommandContext,
): string | undefined {
  const at = inlineCodeAt(operands);
  if (at === -1) {
    const script = operands.find((word) => !word.startsWith('-'));
    return distrustScript(script, context) ?? distrustOperands(operands, 'plain', context);
  }
  // The program is started from another folder, so only an explicit path can reach the repository.
  const code = operands[at + 1] ?? '';
  const root = context.roots.find((folder) => code.includes(folder));
  if (root !== undefined || /(^|[^\w.])\.{1,2}\//u.test(code)) {
    return `the code of \`${program}\` names a file of the repository`;
  }
  const others = [...operands.slice(0, at), ...operands.slice(at + 2)];
  return distrustOperands(others, 'plain', context);
}

/** Index of the option before code or a module name, or -1 if a script comes first. */
function inlineCodeAt(operands: SimpleCommand): number {
  const at = operands.findIndex((word) => word === '-m' || INLINE_CODE_OPTION.test(word));
  const first = operands.findIndex((word) => !word.startsWith('-'));
  return first === -1 || at < first ? at : -1;
}

/**
 * Distrusts everything except the absolute path of a script elsewhere. A relative path belongs to
 * the guest, and so does stdin.
 */
function distrustScript(script: string | undefined, context: FilterCommandContext): string | undefined {
  if (script === undefined || script === '-' || /^\/dev\/(stdin|fd\/)/u.test(script)) {
    return 'its program would run the content of the file';
  }
  return isAbsolute(script) ? names(script, context) : `it names \`${script}\`, a file of the repository`;
}

function distrustOperands(
  operands: SimpleCommand,
  kind: ProgramKind,
  context: FilterCommandContext,
): string | undefined {
  return firstReason(operands, (word, index) => {
    const isInstructions = kind === 'text' && INSTRUCTION_FILE_OPTION.test(operands[index - 1] ?? '');
    if (isInstructions && !isAbsolute(word)) return `it names \`${word}\`, a file of the repository`;
    return firstReason(partsOf(word), (part) => distrustPart(part, kind, context));
  });
}

/**
 * Returns the word, the value of a long option, the value directly after a short one, and the path
 * of `file:/path`.
 */
function partsOf(word: string): string[] {
  const value = /^-{0,2}[\w.-]+=(.*)$/su.exec(word)?.[1];
  const glued = /^-[a-zA-Z](.+)$/su.exec(word)?.[1];
  const schemed = /^[a-z]+:(\/[^/].*)$/su.exec(word)?.[1];
  if (schemed !== undefined) return [schemed];
  return [word, value, glued].flatMap((part) => (part === undefined || part === '' ? [] : [part]));
}

function distrustPart(part: string, kind: ProgramKind, context: FilterCommandContext): string | undefined {
  if (part === '%f' || part.startsWith('-')) return undefined;
  if (isAbsolute(part)) {
    return /^\/dev\/(stdin|stdout|stderr|null|fd\/\d+)$/u.test(part) ? undefined : names(part, context);
  }
  if (/^[a-z][a-z+.-]*:\/\/[^/]/iu.test(part)) return undefined;
  const hasSlash = kind !== 'text' && (part.includes('/') || /^\.{1,2}$/u.test(part));
  if (hasSlash || /^\.{1,2}\//u.test(part)) return `it names \`${part}\`, a file of the repository`;
  if (kind === 'git-extension') return undefined;
  const found = context.roots.find((root) => isFileName(part) && existsSync(join(root, part)));
  return found === undefined ? undefined : `it names \`${part}\`, which is in \`${found}\``;
}

/** A sed script or a word of several kilobytes is not a file name. */
function isFileName(part: string): boolean {
  return part !== '' && part.length < 256 && !part.includes('\0') && normalize(part) !== '.';
}

function names(path: string, { roots }: FilterCommandContext): string | undefined {
  const real = resolveLinks(path);
  const isInside = roots.some((root) => [path, real].some((one) => one === root || isPathWithin(root, one)));
  return isInside ? `it names \`${path}\`, a file of the repository` : undefined;
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return normalize(path);
  }
}

function firstReason<T>(
  items: readonly T[],
  judge: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const reason = judge(item, index);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/**
 * Conversion of all files of a project: new names, new contents, and reports. A report never
 * contains the value of a variable. Pure.
 */
import { parseEnv } from 'node:util';
import { TRUECAST_IGNORED } from 'truecast/internal/support/truecast-folder';
import { convertPaths, convertProgram } from './convert-program.ts';
import type { Converted, Remark } from './converted.ts';
import type { SourceFile } from './read-project.ts';

/** A file to write below `.truecast/`. */
export interface TargetFile {
  readonly name: string;
  readonly content: Buffer;
  readonly mode: number;
  /** True for an environment file, which only its owner can read. */
  readonly isSecret: boolean;
  readonly changes: readonly string[];
  readonly remarks: readonly Remark[];
}

const PROGRAM = /\.[cm]?[jt]sx?$/u;
const ENV = /^\.env(?!\.example$)(?:\.|$)/u;
const PRIVATE_MODE = 0o600;
/** Lines of Sandcastle's own ignore file. The written file already has them. */
const THEIR_IGNORED: ReadonlySet<string> = new Set(['.env', 'logs/', 'worktrees/', 'patches/']);

/** Converts the files. `.gitignore` comes first, so that a written key is never visible to git. */
export function convertFiles(files: readonly SourceFile[]): readonly TargetFile[] {
  const hosts = findHosts(
    files.filter(({ name }) => /\.(?:md|txt)$/u.test(name) || PROGRAM.test(name)).map(textOf),
  );
  const ignore = files.find(({ name }) => name === '.gitignore');
  const others = files.filter(({ name }) => name !== '.gitignore');
  return [ignoreFile(ignore), ...others.map((file) => convertFile(file, hosts))];
}

function convertFile(file: SourceFile, hosts: readonly string[]): TargetFile {
  const { name, content, mode } = file;
  if (ENV.test(name)) return envFile(file);
  const text = textOf(file);
  // Files that are not UTF-8 text are copied unchanged.
  const isText = !text.includes('\0') && Buffer.from(text).equals(content);
  const converted: Converted = !isText
    ? { text, changes: [], remarks: [] }
    : PROGRAM.test(name)
      ? convertProgram(text, hosts)
      : convertPaths(text);
  const { changes, remarks } = converted;
  return {
    name,
    mode,
    isSecret: false,
    changes,
    remarks,
    content: isText ? Buffer.from(converted.text) : content,
  };
}

function envFile(file: SourceFile): TargetFile {
  const variables = parseEnv(textOf(file));
  const count = Object.keys(variables).length;
  const isRenamed = 'OPENAI_KEY' in variables && !('OPENAI_API_KEY' in variables);
  return {
    name: file.name,
    content: file.content,
    mode: PRIVATE_MODE,
    isSecret: true,
    changes: [`${count} ${count === 1 ? 'variable' : 'variables'}, readable only by you`],
    remarks: isRenamed ? [{ text: 'rename `OPENAI_KEY` to `OPENAI_API_KEY`, which codex() reads' }] : [],
  };
}

function ignoreFile(file: SourceFile | undefined): TargetFile {
  const own = (file === undefined ? '' : textOf(file))
    .split('\n')
    .filter(
      (line) => line.trim() !== '' && !THEIR_IGNORED.has(line.trim()) && !TRUECAST_IGNORED.includes(line),
    );
  return {
    name: '.gitignore',
    content: Buffer.from([...TRUECAST_IGNORED, ...own, ''].join('\n')),
    mode: file?.mode ?? 0o644,
    isSecret: false,
    changes: own.length === 0 ? [] : [`keeps ${own.length} of your lines`],
    remarks: [],
  };
}

function textOf({ content }: SourceFile): string {
  return content.toString('utf8');
}

/**
 * Commands, and the hosts that they need. Commands that only use installed packages are not listed.
 */
const HOSTS_OF_COMMANDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:npm|pnpm|bun)\s+(?:add|ci|i|install)\b/u, ['registry.npmjs.org']],
  [/\byarn\s+(?:add|install)\b/u, ['registry.yarnpkg.com']],
  [/\b(?:pip3?\s+install|uv\s+(?:add|pip|sync))\b/u, ['pypi.org', 'files.pythonhosted.org']],
  [/\bcargo\s+(?:add|fetch|install)\b/u, ['index.crates.io', 'static.crates.io']],
  [/\bgo\s+(?:get|install|mod)\b/u, ['proxy.golang.org', 'sum.golang.org']],
  [/\b(?:bundle|gem)\s+install\b/u, ['rubygems.org']],
  [/\bgh\s+(?:api|issue|label|pr|release|repo|run|search)\b/u, ['api.github.com']],
];

/** Returns the sorted hosts that commands in these texts need. */
function findHosts(texts: readonly string[]): readonly string[] {
  const found = HOSTS_OF_COMMANDS.filter(([command]) => texts.some((text) => command.test(text)));
  return [...new Set(found.flatMap(([, hosts]) => hosts))].toSorted();
}

/**
 * Code blocks of the documentation: reads them, and runs those whose fence is `ts run`.
 *
 * A `text out` block after a `ts run` block is the program's exact output.
 */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { repositoryTemplate } from '../../packages/truecast/src/git/test-template.ts';
import { sharedPackages } from '../package/shared-build.ts';

const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

/** One code block of a page. */
export interface Snippet {
  /** Relative to the repository. */
  readonly page: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** Words after the backticks: `ts run`. */
  readonly info: string;
  readonly code: string;
}

/** A program of a page, and its expected output. */
export interface RunnableSnippet extends Snippet {
  readonly expected: string | undefined;
}

/** Pages for users: README and `docs/`, without recipes and decisions. */
export function userPages(): readonly string[] {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...pages.map((name) => `docs/${name}`)];
}

/** Returns the text of a page. */
export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** Returns the code blocks of a page in order. */
export function snippetsOf(page: string): readonly Snippet[] {
  const text = readPage(page);
  return [...text.matchAll(/^```(?<info>[^\n`]*)\n(?<code>[\s\S]*?)^```$/gmu)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    info: match.groups?.['info'] ?? '',
    code: match.groups?.['code'] ?? '',
  }));
}

/** Returns the programs of all pages whose fence has this info string. */
export function runnableSnippets(info: string): readonly RunnableSnippet[] {
  return userPages().flatMap((page) => {
    const snippets = snippetsOf(page);
    return snippets.flatMap((snippet, index) => {
      const next = snippets[index + 1];
      const expected = next?.info === 'text out' ? next.code : undefined;
      return snippet.info === info ? [{ ...snippet, expected }] : [];
    });
  });
}

/** Starts a program of a page. Returns its stdout. */
export function runSnippet(snippet: Snippet, env: Readonly<Record<string, string>> = {}): Promise<string> {
  return inRepository(snippet, async (file, repo, home) => {
    const options = { cwd: repo, env: { HOME: home, ...env }, timeout: 240_000 };
    return (await execa(process.execPath, [file], options)).stdout;
  });
}

/**
 * Runs a program of a page in a new repository with one commit. Returns its stdout. In `npm test` it
 * imports the packed packages, as a user's program does: they load in a third of the processor time.
 */
export async function inRepository(
  { code }: Snippet,
  run: (file: string, repo: string, home: string) => Promise<string>,
): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'truecast-page-'));
  const repo = join(root, 'repo');
  const home = join(root, 'home');
  const program = join(root, 'program');
  try {
    mkdirSync(home);
    // Beside the repository: its packages resolve, and git does not see it.
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    mkdirSync(program);
    if (process.env['TRUECAST_COMMAND'] === 'built') {
      symlinkSync(await sharedPackages(), join(program, 'node_modules'));
    }
    writeFileSync(join(program, 'package.json'), '{ "type": "module" }\n');
    writeFileSync(join(program, 'program.ts'), code);
    copyRepository(repo);
    return `${await run(join(program, 'program.ts'), repo, home)}\n`;
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

const copyRepository = repositoryTemplate((path) => {
  const git = (...args: readonly string[]): unknown => execFileSync('git', args, { cwd: path });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.invalid');
  writeFileSync(join(path, 'loop.ts'), 'for (let i = 0; i <= 3; i += 1) console.log(i);\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
});

/** Tests of a user's checkout in which an agent works: one declaration for every local sandbox. */
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { RunOptions } from '../packages/truecast/src/run/options/run-options.ts';
import { run } from '../packages/truecast/src/run/run.ts';
import type { BindMountSandboxProvider } from '../packages/truecast/src/ports/sandbox-provider.ts';
import { quoteArgument } from '../packages/truecast/src/support/shell-quote.ts';
import { BESIDE_BUBBLEWRAP, matrixRow } from './matrix.ts';
import { git, makeRepository, runOptions } from './run/fixture.ts';

const FILES = [
  '.gitmodules',
  '.lfsconfig',
  '.mcp.json',
  'opencode.json',
  'opencode.jsonc',
  '.envrc',
  'truecast.config.ts',
];
const AGENT_FOLDERS = [
  '.claude',
  '.codex',
  '.agents',
  '.gemini',
  '.qwen',
  '.kimi',
  '.kimi-code',
  '.cursor',
  '.opencode',
  '.pi',
  '.windsurf',
];
const FOLDERS = [...AGENT_FOLDERS, '.vscode', '.idea', '.devcontainer', '.husky', '.truecast'];

/** Tries to write each path in several ways, and prints the paths that were changed. */
const WRITE_ALL = [
  ...FILES.map((name) => `(echo bad > ${name}; rm -f ${name}; mv ${name} away; echo bad > ${name})`),
  ...FOLDERS.map(
    (name) =>
      `(echo bad > ${name}/x; mv ${name} away; rm -rf ${name}; mkdir -p ${name}; echo bad > ${name}/x)`,
  ),
  `grep -rls bad ${[...FILES, ...FOLDERS].join(' ')}; git status --porcelain; true`,
].join('; ');

/**
 * Declares the tests for one sandbox. With a `row` of a matrix of engines, the short form tries a
 * tenth of them in each.
 */
export function declareProtectedCheckout(makeProvider: () => BindMountSandboxProvider, row?: number): void {
  const declare = row === undefined ? it : matrixRow(row, BESIDE_BUBBLEWRAP);
  const options = (script: string, cwd: string): RunOptions =>
    runOptions(script, { cwd, sandbox: makeProvider(), branchStrategy: { type: 'head' } });

  declare(
    'an agent cannot write what other programs run, though it is absent, and nothing is left behind',
    async () => {
      const cwd = makeRepository();
      const before = entriesOf(cwd);
      const result = await run(options(WRITE_ALL, cwd));
      expect(result.text.trim()).toBe('');
      expect(entriesOf(cwd).filter((name) => name !== '.truecast')).toEqual(before);
      expect(result.sensitiveChanges).toEqual([]);
      expect(git(cwd, 'status', '--porcelain')).toBe('');
    },
  );

  declare(
    'the run ends when the host replaces a read-only file, which the agent could then write',
    async () => {
      const cwd = makeRepository();
      writeFileSync(join(cwd, '.mcp.json'), 'old');
      // `&&`: a shell whose `sleep` is ended before the shell itself must not go on.
      const script =
        'touch started; until grep -q new .mcp.json; do :; done; sleep 600 && echo bad > .mcp.json';
      const running = run(options(script, cwd));
      const ended = expect(running).rejects.toMatchObject({
        name: 'SandboxError',
        code: 'exec',
        message: expect.stringContaining('.mcp.json') as unknown,
      });
      await vi.waitFor(() => expect(existsSync(join(cwd, 'started'))).toBe(true), { timeout: 60_000 });
      writeFileSync(join(cwd, 'replacement'), 'new');
      renameSync(join(cwd, 'replacement'), join(cwd, '.mcp.json'));
      await ended;
      expect(readFileSync(join(cwd, '.mcp.json'), 'utf8')).toBe('new');
    },
  );

  declare('the host starts no program that the agent planted on the PATH', async () => {
    const cwd = makeRepository();
    const searchPath = process.env['PATH'];
    const plant = `mkdir -p node_modules/.bin; for p in git bwrap podman docker cat; do printf '#!/bin/sh\\ntouch "${cwd}/started"' > node_modules/.bin/$p; chmod +x node_modules/.bin/$p; done`;
    process.env['PATH'] = `${join(cwd, 'node_modules/.bin')}:${searchPath}`;
    try {
      for (const script of [plant, 'true']) await run(options(script, cwd));
    } finally {
      process.env['PATH'] = searchPath;
    }
    expect(existsSync(join(cwd, 'node_modules/.bin/podman'))).toBe(true);
    expect(existsSync(join(cwd, 'started'))).toBe(false);
  });

  declare("services of the host that listen in the checkout are out of the agent's reach", async () => {
    const cwd = makeRepository();
    mkdirSync(join(cwd, 'tmp/deep'), { recursive: true });
    const paths = ['service.sock', 'tmp/deep/service with space.sock', '.overmind.sock'];
    const before = process.cwd();
    const servers: Server[] = [];
    let connections = 0;
    try {
      process.chdir(cwd);
      for (const path of paths) {
        const server = createServer(() => void (connections += 1));
        // Many programs name their socket relative to the folder that they are started in.
        server.listen(path.startsWith('.') ? path : join(cwd, path));
        await once(server, 'listening');
        servers.push(server);
      }
      process.chdir(before);
      const connect = `for (const path of ${JSON.stringify(paths)}) require('node:net').connect(path).on('connect', () => { console.log('connected to', path); process.exit(); }).on('error', (error) => console.log(error.code))`;
      const { text } = await run(options(`node -e ${quoteArgument(connect)}`, cwd));
      expect(text.trim().split('\n').toSorted()).toEqual(paths.map(() => 'ECONNREFUSED'));
      expect(connections).toBe(0);
      for (const path of paths) expect(lstatSync(join(cwd, path)).isSocket(), path).toBe(true);
    } finally {
      process.chdir(before);
      for (const server of servers) server.close();
    }
  });

  declare('what stands there is read-only, with what the configuration starts', async () => {
    const cwd = makeRepository();
    for (const [path, content] of [
      ['.mcp.json', '{}'],
      ['.vscode/tasks.json', '{}'],
      ['.truecast/prompt.md', 'mine'],
      ['scripts/show.sh', 'cat "$@"'],
      ['.githooks/pre-push', 'exit 0'],
    ] as const) {
      mkdirSync(join(cwd, path, '..'), { recursive: true });
      writeFileSync(join(cwd, path), content);
    }
    git(cwd, 'config', 'diff.shown.textconv', 'sh scripts/show.sh');
    git(cwd, 'config', 'core.hooksPath', '.githooks');
    const script = `for f in .mcp.json .vscode/tasks.json .truecast/prompt.md scripts/show.sh .githooks/pre-push .githooks/post-index-change; do echo bad > $f; done; mv scripts away && mkdir scripts && echo bad > scripts/show.sh; echo good > scripts/other.sh; true`;
    const result = await run(options(script, cwd));
    expect(result.sensitiveChanges).toEqual([]);
    expect(readFileSync(join(cwd, '.mcp.json'), 'utf8')).toBe('{}');
    expect(readFileSync(join(cwd, '.truecast/prompt.md'), 'utf8')).toBe('mine');
    expect(readFileSync(join(cwd, 'scripts/show.sh'), 'utf8')).toBe('cat "$@"');
    expect(existsSync(join(cwd, 'scripts/other.sh'))).toBe(true);
  });

  declare('git and tools of the host see nothing of it during the run', async () => {
    const cwd = makeRepository();
    const running = run(options(`touch started; while [ ! -e go ]; do sleep 0.05; done`, cwd));
    await vi.waitFor(() => expect(existsSync(join(cwd, 'started'))).toBe(true), { timeout: 20_000 });
    const shown = git(cwd, 'status', '--porcelain', '--untracked-files=all');
    git(cwd, 'add', '-A');
    const staged = git(cwd, 'diff', '--cached', '--name-only');
    expect(() => readFileSync(join(cwd, '.mcp.json'))).toThrow(/ENXIO/u);
    writeFileSync(join(cwd, 'go'), '');
    await running;
    expect(shown).toBe('?? started');
    expect(staged).toBe('started');
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);
  });
}

/** Names in a checkout's top folder. */
export function entriesOf(cwd: string): readonly string[] {
  return readdirSync(cwd).toSorted();
}

/** Tests of `truecast init --from-sandcastle` on projects of each shape that Sandcastle's own `init` makes. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { convertFromSandcastle } from '../../packages/cli/src/init/from-sandcastle.ts';
import { git, makeRepository, truecast } from './cli-fixture.ts';

const SHAPES = [
  'blank',
  'simple-loop',
  'sequential-reviewer',
  'parallel-planner',
  'parallel-planner-with-review',
];
const SECRET = 'sk-test-never-printed';

interface Report {
  readonly files: readonly {
    readonly from?: string;
    readonly to: string;
    readonly changes: readonly string[];
  }[];
  readonly notConverted: readonly {
    readonly path: string;
    readonly line?: number;
    readonly reason: string;
  }[];
  readonly next: readonly string[];
}

/** A repository with a program of Sandcastle. Nothing of it is committed. */
function makeProject(shape: string, files: Readonly<Record<string, string>> = {}): string {
  const top = makeRepository();
  mkdirSync(join(top, '.sandcastle/scripts'), { recursive: true });
  const program = readFileSync(join(import.meta.dirname, 'sandcastle-projects', `${shape}.ts`), 'utf8');
  const all = {
    'main.ts': program,
    'prompt.md': 'Read @.sandcastle/rules.md. Tasks: !`gh issue list` and {{TASK}}.\n',
    Dockerfile: 'FROM node:22-bookworm\nCOPY rules.md /rules.md\n',
    '.gitignore': '.env\nlogs/\nworktrees/\n/notes.md\n',
    '.env': `ANTHROPIC_API_KEY=${SECRET}\nGH_TOKEN=\n`,
    '.env.example': 'ANTHROPIC_API_KEY=\n',
    'scripts/prepare.sh': '#!/bin/sh\ntrue\n',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(top, '.sandcastle', name), text);
  chmodSync(join(top, '.sandcastle/scripts/prepare.sh'), 0o755);
  return top;
}

async function convert(cwd: string): Promise<{ readonly report: Report; readonly printed: string }> {
  const lines = await print(cwd, {});
  const again = await print(cwd, { json: true });
  return { report: JSON.parse(again) as Report, printed: lines };
}

async function print(cwd: string, flags: { readonly json?: boolean }): Promise<string> {
  const stream = new PassThrough();
  await convertFromSandcastle({ cwd, ...flags }, { stdout: stream, stderr: stream });
  return String(stream.read());
}

async function report(cwd: string): Promise<Report> {
  return JSON.parse(await print(cwd, { json: true })) as Report;
}

const written = (top: string, name: string): string => readFileSync(join(top, '.truecast', name), 'utf8');

describe('truecast init --from-sandcastle', () => {
  // The compiler checks these snapshots against our types.
  it.each(SHAPES)('converts the program of a %s project', async (shape) => {
    const top = makeProject(shape);
    const { files, next } = await report(top);
    expect(files[0]?.to).toBe('.truecast/.gitignore');
    expect(files.map(({ from = '' }) => from).sort()).toEqual(
      ['.env', '.env.example', '.gitignore', 'Dockerfile', 'main.ts', 'prompt.md', 'scripts/prepare.sh'].map(
        (name) => `.sandcastle/${name}`,
      ),
    );
    expect(next).toContain('Start it: node .truecast/main.ts');
    expect(next).toContain('Build the image: npx --no truecast docker build-image');
    await expect(written(top, 'main.ts')).toMatchFileSnapshot(`sandcastle-projects/converted/${shape}.ts`);
    expect(written(top, 'prompt.md')).toBe(
      'Read @.truecast/rules.md. Tasks: !`gh issue list` and {{TASK}}.\n',
    );
    expect(written(top, 'Dockerfile')).toBe('FROM node:22-bookworm\nCOPY rules.md /rules.md\n');
    expect(written(top, '.gitignore')).toContain('/notes.md\n');
    expect(statSync(join(top, '.truecast/scripts/prepare.sh')).mode & 0o777).toBe(0o755);
  });

  it('copies the keys for their owner alone, invisible to git, and prints none', async () => {
    const top = makeProject('blank');
    const { printed } = await convert(top);
    expect(printed).toContain('.sandcastle/.env → .truecast/.env\n    2 variables, readable only by you\n');
    expect(printed).not.toContain(SECRET);
    expect(written(top, '.env')).toBe(readFileSync(join(top, '.sandcastle/.env'), 'utf8'));
    expect(statSync(join(top, '.truecast/.env')).mode & 0o777).toBe(0o600);
    expect(await git(top, 'status', '--short', '-uall')).not.toContain('.truecast/.env\n');
  });

  it('lists what a person must change, by line', async () => {
    const top = makeProject('parallel-planner-with-review');
    writeFileSync(join(top, 'package.json'), '{"scripts":{"agents":"npx tsx .sandcastle/main.ts"}}');
    writeFileSync(join(top, 'package-lock.json'), '{"packages":{"node_modules/@ai-hero/sandcastle":{}}}');
    mkdirSync(join(top, '.sandcastle/worktrees'));
    const { notConverted } = await report(top);
    expect(notConverted.map(({ path, line, reason }) => `${path}:${line ?? ''} ${reason}`)).toEqual([
      expect.stringMatching(/^\.sandcastle\/worktrees\/: .*git worktree remove/u),
      expect.stringMatching(/^\.truecast\/main\.ts:11 add `egress: \{ allow: \["api\.github\.com"\] \}`/u),
      expect.stringMatching(/^\.truecast\/main\.ts:20 add `agents: \[claudeCode\(\)\]`/u),
      expect.stringMatching(/^package\.json: /u),
    ]);
  });

  it('overwrites nothing, and reports each file that exists', async () => {
    const top = makeProject('blank');
    mkdirSync(join(top, '.truecast'));
    writeFileSync(join(top, '.truecast/main.ts'), 'mine');
    const { printed, report: second } = await convert(top);
    expect(printed).toContain('.sandcastle/main.ts: `.truecast/main.ts` exists, and nothing is overwritten');
    expect(written(top, 'main.ts')).toBe('mine');
    expect(second.files).toEqual([]);
    expect(second.next).toEqual([]);
    const reasons = new Map(second.notConverted.map(({ path, reason }) => [path, reason]));
    expect(reasons.get('.sandcastle/.env')).toBe('already converted');
  });

  it('copies no key that a commit can have changed, or that git would see', async () => {
    const tracked = makeProject('blank');
    await git(tracked, 'add', '-f', '.sandcastle/.env');
    expect((await report(tracked)).notConverted).toContainEqual(
      expect.objectContaining({
        path: '.sandcastle/.env',
        reason: expect.stringContaining('git tracks it') as unknown,
      }),
    );
    const seen = makeProject('blank');
    mkdirSync(join(seen, '.truecast'));
    writeFileSync(join(seen, '.truecast/.gitignore'), '/logs/\n');
    expect((await report(seen)).notConverted).toContainEqual(
      expect.objectContaining({
        path: '.sandcastle/.env',
        reason: expect.stringContaining('git would see') as unknown,
      }),
    );
    for (const top of [tracked, seen]) expect(existsSync(join(top, '.truecast/.env'))).toBe(false);
  });

  it('follows no link, neither to read nor to write', async () => {
    const top = makeProject('blank');
    const outside = makeRepository();
    writeFileSync(join(outside, 'secret'), SECRET);
    symlinkSync(join(outside, 'secret'), join(top, '.sandcastle/notes.md'));
    symlinkSync(outside, join(top, '.truecast'));
    const { files, notConverted } = await report(top);
    expect(files).toEqual([]);
    expect(notConverted.find(({ path }) => path === '.sandcastle/notes.md')?.reason).toContain(
      'a symbolic link',
    );
    expect(notConverted.find(({ path }) => path === '.sandcastle/main.ts')?.reason).toContain(
      'a symbolic link',
    );
    expect(existsSync(join(outside, 'main.ts'))).toBe(false);
  });

  it('is refused without the folder, and beside flags of a new program', async () => {
    const top = makeRepository();
    await expect(convertFromSandcastle({ cwd: top }, process)).rejects.toThrow('Expected a folder');
    const { exitCode, stderr } = await truecast(top, 'init', '--from-sandcastle', '--template', 'blank');
    expect(exitCode).toBe(2);
    expect(stderr).toContain("option '--from-sandcastle' cannot be used with option '--template <name>'");
  });
});

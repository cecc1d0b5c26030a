/**
 * Tests of the files of `truecast init`, and of each template: run as a user runs it, with a
 * scripted agent.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageJson from '../agents/package.json' with { type: 'json' };
import { AGENTS, INIT_AGENTS } from '../../packages/truecast/src/agents/registry/agents.ts';
import { SANDBOXES } from '../../packages/truecast/src/sandboxes/registry/sandboxes.ts';
import { TEMPLATES } from '../../packages/cli/src/init/init-choices.ts';
import { agentFileText } from '../../packages/cli/src/init/scaffold.ts';
import * as face from '../../packages/truecast/src/index.ts';
import { sharedPackages } from '../package/shared-build.ts';
import { type Ended, MAIN, runCommand } from './run-command.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { describeUnless, missing } from '../needs.ts';
import { declarePrograms } from '../program-session.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const runProgram = declarePrograms();

function init(cwd: string, ...flags: readonly string[]): Promise<Ended> {
  return runCommand(['init', '--cwd', cwd, ...flags], { cwd });
}

/**
 * A repository with an installed template, whose agent is the given script. `steps` is a function
 * of `{ prompt, callIndex }`.
 */
async function project(
  template: string,
  steps: string,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const cwd = makeRepository();
  for (const [name, text] of Object.entries({ ...files, '.gitignore': 'node_modules\n.truecast\n' })) {
    writeFileSync(join(cwd, name), text);
  }
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', 'files');
  const { exitCode, stderr } = await init(cwd, '--yes', '--template', template, '--sandbox', 'none');
  expect(exitCode, stderr).toBe(0);
  await linkPackages(cwd);
  writeFileSync(
    join(cwd, '.truecast', 'agent.mts'),
    `import { noSandbox } from 'truecast';
import { scriptedAgent, step } from 'truecast/testing';
export const agent = scriptedAgent({ steps: ${steps} });
export const sandbox = noSandbox();
export const maxCorrections = 0;
`,
  );
  return cwd;
}

/**
 * Resolves `truecast` to the packed package in `npm test`, which loads in a third of the processor time, and
 * otherwise to the sources: Node follows links out of `node_modules`, and strips types there.
 */
async function linkPackages(cwd: string): Promise<void> {
  const workspace = join(ROOT, 'node_modules');
  const own = process.env['TRUECAST_COMMAND'] === 'built' ? await sharedPackages() : workspace;
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(join(own, 'truecast'), join(cwd, 'node_modules/truecast'));
  symlinkSync(join(workspace, 'zod'), join(cwd, 'node_modules/zod'));
}

async function start(
  cwd: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Ended> {
  return runProgram({
    file: join(cwd, '.truecast/main.mts'),
    args,
    cwd,
    env: { HOME: temporaryFolder(), ...env },
  });
}

describe('truecast init', () => {
  it('writes a program, its agent, its prompts and what git must not see', async () => {
    const cwd = makeRepository();
    writeFileSync(join(cwd, 'package.json'), '{"type":"module","packageManager":"pnpm@9.0.0"}');
    const flags = ['--agent', 'codex', '--model', "it's", '--sandbox', 'podman', '--template', 'simple-loop'];
    const { stdout, exitCode } = await init(
      cwd,
      ...flags,
      '--package-manager',
      'pnpm',
      '--no-install',
      '--json',
    );
    expect(exitCode).toBe(0);
    const told = JSON.parse(stdout) as { files: string[]; next: string[] };
    expect(told.files.map((path) => path.slice(cwd.length)).sort()).toEqual(
      ['.env.example', '.gitignore', 'Containerfile', 'agent.ts', 'main.ts', 'prompt.md'].map(
        (name) => `/.truecast/${name}`,
      ),
    );
    expect(told.next.join('\n')).toMatch(/pnpm add \S+\/tarballs\/\*\.tgz zod/u);
    expect(told.next.join('\n')).toContain('node .truecast/main.ts');
    const agent = readFileSync(join(cwd, '.truecast/agent.ts'), 'utf8');
    expect(agent).toContain(String.raw`codex('it\'s')`);
    expect(readFileSync(join(cwd, '.truecast/Containerfile'), 'utf8')).toContain('@openai/codex');
    writeFileSync(join(cwd, '.truecast/.env'), 'OPENAI_API_KEY=x');
    expect(git(cwd, 'status', '--short', '-uall')).not.toContain('.truecast/.env\n');
  });

  it('finds out the package manager and the kind of modules', async () => {
    const cwd = makeRepository();
    writeFileSync(join(cwd, 'yarn.lock'), '');
    const { stderr } = await init(cwd, '--yes', '--sandbox', 'none');
    expect(stderr).toMatch(/yarn add \S+\/tarballs\/\*\.tgz zod/u);
    expect(stderr).toContain('node .truecast/main.mts');
  });

  it('names the flag where there is no terminal to ask on', async () => {
    const cwd = makeRepository();
    const flags: string[] = [];
    for (const [flag, value] of [
      ['--agent', 'codex'],
      ['--model', ''],
      ['--sandbox', 'none'],
      ['--template', 'blank'],
      ['--package-manager', 'npm'],
    ] as const) {
      const { stderr, exitCode } = await init(cwd, ...flags);
      expect({ exitCode, names: stderr.includes(`needs \`${flag}\``) }).toEqual({ exitCode: 2, names: true });
      flags.push(flag, value);
    }
    expect((await init(cwd, ...flags)).stderr).toContain('--no-install');
    expect(existsSync(join(cwd, '.truecast'))).toBe(false);
    expect((await init(cwd, ...flags, '--no-install')).exitCode).toBe(0);
  });

  it('installs tarballs, and nothing of our name from npm', async () => {
    const cwd = makeRepository();
    const bin = temporaryFolder();
    writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "arguments: $*" >&2\nexit 1\n', { mode: 0o755 });
    const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
    const flags = ['--yes', '--sandbox', 'none', '--package-manager', 'npm', '--install'];
    const { stderr, exitCode } = await runCommand(['init', ...flags], { cwd, env: { PATH } });
    expect(exitCode).not.toBe(0);
    // Packed or not: its own message, or npm's arguments.
    expect(stderr).toMatch(/tarballs\/\S+\.tgz/u);
    expect(stderr).not.toMatch(/ truecast(?: |$)/mu);
  });

  it('overwrites nothing, and lists the choices for an invalid value', async () => {
    const cwd = makeRepository();
    mkdirSync(join(cwd, '.truecast'));
    writeFileSync(join(cwd, '.truecast', 'prompt.md'), 'mine');
    const flags = ['--yes', '--sandbox', 'none'];
    expect(await init(cwd, ...flags)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('`prompt.md`') as unknown,
    });
    expect(readFileSync(join(cwd, '.truecast', 'prompt.md'), 'utf8')).toBe('mine');
    expect(existsSync(join(cwd, '.truecast', 'main.mts'))).toBe(false);
    writeFileSync(join(cwd, '.truecast', 'main.ts'), 'mine');
    expect((await init(cwd, ...flags, '--template', 'simple-loop')).stderr).toContain('`main.ts`');
    expect((await init(makeRepository(), ...flags, '--template', 'nothing')).stderr).toContain(
      'issue-triage',
    );
    expect((await init(temporaryFolder(), ...flags)).stderr).toContain('git init');
  });
});

/** Runs `init` on a pseudo-terminal, and presses keys when a text appears. */
async function initOnTerminal(
  cwd: string,
  flags: readonly string[],
  keys: readonly (readonly [string, string])[],
): Promise<string> {
  const words = [process.execPath, MAIN, 'init', '--cwd', cwd, ...flags].map((word) => `'${word}'`);
  const child = spawn('script', ['-qec', `stty cols 100; ${words.join(' ')}`, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const left = [...keys];
  let shown = '';
  let seen = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    for (let next = left[0]; next !== undefined && shown.includes(next[0], seen); next = left[0]) {
      seen = shown.indexOf(next[0], seen) + next[0].length;
      child.stdin.write(next[1]);
      left.shift();
    }
  });
  await new Promise((resolve) => child.once('close', resolve));
  return shown;
}

const DOWN = '\u001B[B';

describeUnless(missing('script'), 'the questions of truecast init', () => {
  it('are asked one after the other, except those that a flag answers', async () => {
    const cwd = makeRepository();
    const shown = await initOnTerminal(
      cwd,
      ['--sandbox', 'none', '--no-install'],
      [
        ['Which agent?', `${DOWN}\r`],
        ['Which model?', 'gpt-5.4\r'],
        ['Which template?', `${DOWN}\r`],
        ['Which package manager?', '\r'],
      ],
    );
    expect(shown).not.toContain('Which sandbox should it run in?');
    expect(shown).toMatch(/npm install \S+\/tarballs\/\*\.tgz/u);
    expect(readFileSync(join(cwd, '.truecast/agent.mts'), 'utf8')).toContain(`codex('gpt-5.4')`);
    expect(readFileSync(join(cwd, '.truecast/main.mts'), 'utf8')).toContain('simple-loop');
  });

  it('write nothing when they are left', async () => {
    const cwd = makeRepository();
    const shown = await initOnTerminal(cwd, [], [['Which agent?', '\u0003']]);
    expect(shown).toContain('nothing was written');
    expect(existsSync(join(cwd, '.truecast'))).toBe(false);
  });
});

describe('the choices', () => {
  it('are functions of the package, and CLIs at the versions that are tested', () => {
    const factories = [...Object.values(AGENTS), ...Object.values(SANDBOXES)].map(({ factory }) => factory);
    expect(Object.keys(face)).toEqual(expect.arrayContaining(factories));
    const tested: Readonly<Record<string, string>> = packageJson.dependencies;
    for (const { npm, make } of Object.values(INIT_AGENTS)) {
      expect(tested[npm.name.replace('opencode-ai', 'opencode-linux-x64')]).toBe(npm.version);
      expect(make().installHint).toBe(`npm install -g ${npm.name}`);
    }
  });

  it('write a preset with its model', () => {
    const text = agentFileText({ agent: 'qwen-code', model: "a'b", sandbox: 'none' });
    expect(text).toContain("import { acp, noSandbox } from 'truecast';");
    expect(text).toContain(String.raw`export const agent = acp({ preset: 'qwen-code', model: 'a\'b' });`);
    expect(agentFileText({ agent: 'kimi', model: '', sandbox: 'none' })).toContain("acp({ preset: 'kimi' })");
  });

  it('have a folder each, and the agent that the compiler sees is the one that is written', () => {
    for (const template of Object.keys(TEMPLATES)) {
      expect(existsSync(join(ROOT, 'packages/truecast/templates', template, 'main.ts'))).toBe(true);
    }
    expect(agentFileText({ agent: 'claude-code', model: '', sandbox: 'bubblewrap' })).toBe(
      readFileSync(join(ROOT, 'packages/truecast/templates/agent.ts'), 'utf8'),
    );
  });
});

const COMMIT = (file: string): string =>
  `step.shell('echo work > ${file} && git add -A && git commit -q -m "add ${file}"')`;

describe('the template', () => {
  it('blank: prints a typed answer, and merges its commits', async () => {
    const cwd = await project(
      'blank',
      `[${COMMIT('b.txt')}, step.print('<result>{"summary":"Did it.","openQuestions":["Why?"]}</result>')]`,
    );
    const { stdout, exitCode, stderr } = await start(cwd);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe('Did it.\n? Why?\n1 commit(s) on main');
    expect(git(cwd, 'log', '-1', '--format=%s')).toBe('add b.txt');
  });

  it('simple-loop: does one task an iteration until none is left', async () => {
    const cwd = await project(
      'simple-loop',
      `[step.shell(\`if grep -q '^- \\\\[ \\\\]' TASKS.md; then sed -i '0,/^- \\\\[ \\\\]/s//- [x]/' TASKS.md && git commit -qam 'a task'; fi; if ! grep -q '^- \\\\[ \\\\]' TASKS.md; then echo '<promise>COMPLETE</promise>'; fi\`, { isPrinted: true })]`,
      { 'TASKS.md': '- [x] zero\n- [ ] one\n- [ ] two\n- [ ] three\n' },
    );
    const { stdout, exitCode, stderr } = await start(cwd);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toBe('3 iteration(s), 3 commit(s) on main\nNo task is left.');
    expect(readFileSync(join(cwd, 'TASKS.md'), 'utf8')).toBe(
      '- [x] zero\n- [x] one\n- [x] two\n- [x] three\n',
    );
  });

  it('issue-triage: triages each issue once, and takes no word of one for an instruction', async () => {
    const cwd = await project(
      'issue-triage',
      `({ prompt }) => [step.print('<result>' + JSON.stringify({ kind: prompt.includes('{{body}} !\`touch pwned\`') ? 'bug' : 'other', severity: 'low', files: [], nextStep: 'Look.' }) + '</result>')]`,
      {
        'issues.json': JSON.stringify([
          { number: 1, title: 'It breaks', body: '{{body}} !`touch pwned`' },
          { number: 2, title: 'Hello', body: 'x' },
        ]),
      },
    );
    const { stdout, exitCode, stderr } = await start(cwd, [], { ISSUES_COMMAND: 'cat issues.json' });
    expect(exitCode, stderr).toBe(0);
    expect(stdout.split('\n').sort()).toEqual([
      '#1 low bug: Look.',
      '#2 low other: Look.',
      expect.stringMatching(/^2 triaged, 0 failed, 0 known before/u),
    ]);
    expect(existsSync(join(cwd, 'pwned'))).toBe(false);
    expect((await start(cwd, [], { ISSUES_COMMAND: 'cat issues.json' })).stdout).toContain(
      '0 triaged, 0 failed, 2 known before',
    );
  });

  it('implement-then-review: repeats until the review approves, on its own branch', async () => {
    const cwd = await project(
      'implement-then-review',
      `({ prompt }) => prompt.includes('<review>')
        ? [step.shell('if [ -e fix.txt ]; then v=approve; c=; else v=change; c=\\'{"file":"b.txt","problem":"No fix.","fix":"Add fix.txt."}\\'; fi; printf \\'<review>{"verdict":"%s","comments":[%s]}</review>\\' "$v" "$c"', { isPrinted: true })]
        : prompt.includes('Add fix.txt.') ? [${COMMIT('fix.txt')}] : [${COMMIT('b.txt')}]`,
    );
    const { stdout, exitCode, stderr } = await start(cwd, ['Add', 'a file!']);
    expect(exitCode, stderr).toBe(0);
    const branch = /git merge (truecast\/add-a-file-\S+)/u.exec(stdout)?.[1] ?? '';
    expect(stdout).toContain('Review 1: change, 1 comment(s)\nReview 2: approve, 0 comment(s)');
    expect(git(cwd, 'log', '--format=%s', `main..${branch}`)).toBe('add fix.txt\nadd b.txt');
    expect(git(cwd, 'log', '-1', '--format=%s', 'main')).toBe('files');
    expect((await start(cwd)).exitCode).toBe(2);
  });

  it('implement-then-review: reviews nothing where nothing was committed', async () => {
    const cwd = await project('implement-then-review', `[step.print('I did nothing.')]`);
    const { stdout, exitCode } = await start(cwd, ['x']);
    expect({ exitCode, isTold: stdout.includes('nothing to review') }).toEqual({ exitCode: 1, isTold: true });
  });

  it('parallel-planner: plans, works, merges what is finished, also what an earlier run left, and stops', async () => {
    const cwd = await project(
      'parallel-planner',
      `(await import('${join(import.meta.dirname, 'planner-steps.ts')}')).plannerSteps`,
      { 'GOAL.md': 'one, two\n' },
    );
    // Work that an earlier run finished and did not merge.
    git(cwd, 'branch', 'truecast/task-old');
    const old = join(temporaryFolder(), 'old');
    git(cwd, 'worktree', 'add', '-q', old, 'truecast/task-old');
    git(old, 'commit', '-q', '--allow-empty', '-m', 'add old');
    git(cwd, 'worktree', 'remove', old);
    const { stdout, exitCode, stderr } = await start(cwd);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain('Round 1: old, one, two, broken');
    expect(stdout).toContain('Nothing is left to do.');
    expect(stderr).toContain('broken: ');
    const subjects = git(cwd, 'log', '--no-merges', '--format=%s').split('\n');
    expect(subjects.sort()).toEqual([
      'add broken',
      'add half',
      'add old',
      'add one',
      'add two',
      'begin',
      'files',
    ]);
    // The worktree of the failed task is kept, and holds its branch.
    expect(git(cwd, 'branch', '--list', 'truecast/*')).toBe('+ truecast/task-broken');
    expect(git(cwd, 'status', '--short')).toBe('');
  });
});

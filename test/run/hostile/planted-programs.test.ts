/** Programs of the host's own calls, planted in a checkout whose folders are on the PATH. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../../packages/truecast/src/run/run.ts';
import { callEngine } from '../../../packages/truecast/src/sandboxes/containers/container-engine.ts';
import { bubblewrap } from '../../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { runCommand, startCommand } from '../../cli/run-command.ts';
import { describeInBubblewrap } from '../../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions, temporaryFolder } from '../fixture.ts';

const PROGRAMS = ['git', 'bwrap', 'podman', 'docker', 'gh', 'cat', 'sh', 'claude', 'node'];
const savedPath = process.env['PATH'];
afterEach(() => void (process.env['PATH'] = savedPath));

/** Shell that plants each program in a folder. A planted program records its name and its caller. */
function plantIn(folder: string, record: string): string {
  const script = `#!/bin/sh\\n{ echo "\${0##*/} $*" >> "${record}"; } 2> /dev/null\\nexit 0\\n`;
  const each = `printf '${script.replaceAll("'", `'\\''`)}' > "${folder}/$p"`;
  const names = PROGRAMS.join(' ');
  return `mkdir -p "${folder}"; for p in ${names}; do ${each}; done; (cd "${folder}" && chmod +x ${names})`;
}

interface Planted {
  readonly cwd: string;
  /** The programs that the host started, one call per line. */
  started(): string;
}

/** Adds folders of a repository to the PATH, as `npm run` and `PATH=$UNSET:$PATH` do. */
function makePlanted(): Planted & { readonly record: string } {
  const cwd = makeRepository();
  const record = join(temporaryFolder(), 'started');
  const link = join(temporaryFolder(), 'link');
  symlinkSync(cwd, link);
  const folders = ['', '.', 'bin', join(cwd, 'node_modules/.bin'), join(link, 'linked')];
  process.env['PATH'] = [...folders, savedPath].join(':');
  return { cwd, record, started: () => (existsSync(record) ? readFileSync(record, 'utf8') : '') };
}

function plantEverywhere(): Planted {
  const planted = makePlanted();
  for (const folder of ['.', 'bin', 'node_modules/.bin', 'linked']) {
    execFileSync('/bin/sh', ['-c', plantIn(folder, planted.record)], {
      cwd: planted.cwd,
      env: { PATH: savedPath },
    });
  }
  return planted;
}

describe('a cloned repository with programs on the PATH', () => {
  it('starts none of them by `truecast` alone', async () => {
    const { cwd, started } = plantEverywhere();
    await startCommand([], { cwd, env: { HOME: temporaryFolder() } });
    expect(started()).toBe('');
  });

  // The start is that of the one above.
  it.each([[['doctor']], [['init', '--yes', '--no-install']], [['clean']], [['report']]])(
    'starts none of them by `truecast` with %j',
    async (args) => {
      const { cwd, started } = plantEverywhere();
      // The exit code does not matter here.
      await runCommand(args, { cwd, env: { HOME: temporaryFolder() } });
      expect(started()).toBe('');
    },
  );

  it('starts none of them by a call of a container engine', async () => {
    const { cwd, started } = plantEverywhere();
    const before = process.cwd();
    process.chdir(cwd);
    try {
      for (const engine of ['podman', 'docker'] as const) {
        await callEngine(engine, ['--version']).catch(() => undefined);
      }
    } finally {
      process.chdir(before);
    }
    expect(started()).toBe('');
  });
});

describeInBubblewrap('an agent in the checkout itself', () => {
  it('starts no program on the host that it planted on the PATH, in this run or the next', async () => {
    const { cwd, record, started } = makePlanted();
    writeFileSync(join(cwd, '.gitignore'), '*\n');
    git(cwd, 'add', '-f', '.gitignore');
    git(cwd, 'commit', '-q', '-m', 'ignore');
    mkdirSync(join(cwd, 'node_modules'));
    const plant = ['bin', 'node_modules/.bin', 'linked'].map((folder) => plantIn(folder, record)).join('; ');
    for (const script of [plant, 'true']) {
      await run({
        ...runOptions(script, { cwd, sandbox: bubblewrap({ egress: 'none' }) }),
        branchStrategy: { type: 'head' },
      });
    }
    expect(existsSync(join(cwd, 'node_modules/.bin/bwrap'))).toBe(true);
    expect(started()).toBe('');
  });

  it('starts no program that it planted in a mounted folder on the PATH', async () => {
    const cwd = makeRepository();
    const mounted = temporaryFolder();
    const record = join(temporaryFolder(), 'started');
    process.env['PATH'] = [mounted, savedPath].join(':');
    const sandbox = bubblewrap({
      egress: 'none',
      mounts: [{ hostPath: mounted, sandboxPath: '/planted' }],
    });
    for (const script of [plantIn('/planted', record), 'true']) {
      await run({ ...runOptions(script, { cwd, sandbox }), branchStrategy: { type: 'head' } });
    }
    expect(existsSync(join(mounted, 'git'))).toBe(true);
    expect(existsSync(record) ? readFileSync(record, 'utf8') : '').toBe('');
  });
});

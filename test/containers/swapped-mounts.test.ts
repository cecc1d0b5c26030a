/** Mounts of a container whose source is swapped for a link while the engine starts. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { run } from '../../packages/truecast/src/run/run.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import { git, makeRepository, runOptions, temporaryFolder } from '../run/fixture.ts';
import { describeWithEngine } from './describe-with-engine.ts';
import { TEST_IMAGE } from './shared-image.ts';

const savedPath = process.env['PATH'];
afterEach(() => void (process.env['PATH'] = savedPath));

describeWithEngine('podman', 'a mount whose source is swapped while podman starts', () => {
  it('ends the run before the agent starts, and one that stays is mounted', async () => {
    const [cwd, victim, bin] = [makeRepository(), temporaryFolder(), temporaryFolder()];
    const place = join(cwd, 'the cache');
    mkdirSync(place);
    writeFileSync(join(place, 'x'), 'x');
    writeFileSync(join(victim, 'id'), 'PRIVATE');
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-q', '-m', 'cache');
    const mounts = [{ hostPath: './the cache', sandboxPath: '/the cache' }];
    const sandbox = podman({ imageName: TEST_IMAGE, egress: 'none', mounts });
    const script = 'cat "/the cache/"*; echo PWN >> "/the cache/id"';
    const options = { cwd, sandbox, branchStrategy: { type: 'branch', branch: 'b' } } as const;
    expect((await run(runOptions(script, options))).stdout).toBe('x');
    const engine = execFileSync('sh', ['-c', 'command -v podman'], { encoding: 'utf8' }).trim();
    const swap = `[ "$1" != run ] || { mv '${place}' '${bin}/moved' && ln -s '${victim}' '${place}'; }`;
    writeFileSync(join(bin, 'podman'), `#!/bin/sh\n${swap}\nexec ${engine} "$@"\n`, { mode: 0o755 });
    process.env['PATH'] = `${bin}:${savedPath}`;
    await expect(run(runOptions(script, options))).rejects.toMatchObject({ code: 'unsafe-path' });
    expect(existsSync(join(bin, 'moved'))).toBe(true);
    expect(readFileSync(join(victim, 'id'), 'utf8')).toBe('PRIVATE');
  });
});

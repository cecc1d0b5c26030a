/** Image commands: tests of `build-image`, `remove-image`, `run --sandbox` and `doctor` on a real engine. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect } from 'vitest';
import type { EngineName } from '../../packages/truecast/src/sandboxes/containers/container-engine.ts';
import { matrixRow } from '../matrix.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';
import { type Ended, runCommand } from './run-command.ts';

const IMAGE = 'truecast:my-project';
const DESCRIPTION = `FROM ${TEST_IMAGE}
ARG AGENT_UID
ARG AGENT_GID
COPY note.txt .en[v] log[s] /context/
LABEL ids="$AGENT_UID:$AGENT_GID"
`;

/** Declares the tests on the engine that the suite has started. In the short form, each engine tries half of them. */
export function declareImageCommands(engine: EngineName): void {
  const itInMatrix = matrixRow(engine === 'docker' ? 0 : 1, { rows: 2, stride: 2 });
  let root: string;
  let repo: string;

  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'image-')));
    repo = join(root, 'My Project');
    await mkdir(join(repo, '.truecast', 'logs'), { recursive: true });
    await writeFile(
      join(repo, '.truecast', engine === 'docker' ? 'Dockerfile' : 'Containerfile'),
      DESCRIPTION,
    );
    await writeFile(join(repo, '.truecast', 'note.txt'), 'a note');
    await writeFile(join(repo, '.truecast', '.env'), 'KEY=secret');
    await writeFile(join(repo, '.truecast', 'logs', 'run.log'), 'secret');
    const git = (...args: string[]): Promise<unknown> => execa('git', args, { cwd: repo });
    await git('init', '-q', '-b', 'main');
    await git('config', 'user.name', 'Test');
    await git('config', 'user.email', 'test@example.invalid');
    await git('commit', '-q', '--allow-empty', '-m', 'begin');
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const truecast = (...args: readonly string[]): Promise<Ended> => runCommand(args, { cwd: repo });

  itInMatrix('build, use and remove an image', async () => {
    const before = await truecast('doctor', '--json');
    expect(before.stdout).toContain(`truecast ${engine} build-image --image-name ${IMAGE}`);

    const built = await truecast(engine, 'build-image');
    expect(built, built.stderr).toMatchObject({ exitCode: 0, stdout: '' });
    // The engine's message is shown, not only ours.
    expect(built.stderr).toMatch(/FROM/iu);
    expect(built.stderr).toContain(`Built ${IMAGE}`);
    const ids = await execa(engine, ['image', 'inspect', '--format', '{{.Config.Labels.ids}}', IMAGE]);
    expect(ids.stdout).toBe(`${process.getuid?.()}:${process.getgid?.()}`);
    const report = await truecast('doctor', '--all');
    expect(report.stdout.replaceAll(/\s+/gu, ' ')).toMatch(
      new RegExp(`✓ ${engine} [0-9.]+[^✓]*; starts \`${IMAGE}\``, 'u'),
    );

    const agent = `command:sh -c 'echo "<result>$(cat /context/*; ls -A /context)</result>"'`;
    const ran = await truecast(
      'run',
      '--sandbox',
      engine,
      '--agent',
      agent,
      '--egress',
      'none',
      '--prompt',
      'Answer in <result>.',
      '--tag',
      'result',
    );
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: '"a notenote.txt"' });
    expect(ran.stderr).toContain(`sandbox: ${engine}`);

    expect(await truecast(engine, 'remove-image')).toMatchObject({
      exitCode: 0,
      stderr: `Removed ${IMAGE}.`,
    });
    const again = await truecast(engine, 'remove-image');
    expect(again).toMatchObject({ exitCode: 1 });
    expect(again.stderr).toContain(`The image \`${IMAGE}\` could not be removed`);
  });

  itInMatrix('build of another file, under another name', async () => {
    await writeFile(join(root, 'Other'), `FROM ${TEST_IMAGE}\nLABEL other=yes\n`);
    const built = await truecast(
      engine,
      'build-image',
      '--image-name',
      'other:1',
      '--dockerfile',
      '../Other',
    );
    expect(built, built.stderr).toMatchObject({ exitCode: 0 });
    expect(await truecast(engine, 'remove-image', '--image-name', 'other:1')).toMatchObject({
      exitCode: 0,
    });
  });

  itInMatrix('say what is missing and what failed', async () => {
    const missing = await truecast(engine, 'build-image', '--dockerfile', 'nothing');
    expect(missing).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('does not exist') as unknown,
    });
    await writeFile(join(root, 'Broken'), `FROM ${TEST_IMAGE}\nCOPY nothing /\n`);
    const broken = await truecast(engine, 'build-image', '--dockerfile', '../Broken');
    expect(broken).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/nothing[^]*build` failed with exit code/u) as unknown,
    });
    const run = await truecast(
      'run',
      '--sandbox',
      engine,
      '--image-name',
      'none:1',
      '--agent',
      'command:true',
      '--egress',
      'none',
      '--prompt',
      'x',
    );
    expect(run).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`truecast ${engine} build-image --image-name none:1`) as unknown,
    });
  });
}

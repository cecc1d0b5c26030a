import { randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { matrixRuns } from '../../../../test/matrix.ts';
import { MAX_COLLECTED_CHARS } from './collect-output.ts';
import { markedTree } from './process-tree.ts';
import { spawnCommand, type SpawnCommandOptions } from './spawn-command.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spawn-command-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function shell(command: string, options: Partial<SpawnCommandOptions> = {}): ReturnType<typeof spawnCommand> {
  const env = { PATH: process.env['PATH'] ?? '' };
  return spawnCommand({ file: '/bin/sh', args: ['-c', command], cwd: folder, env, ...options });
}

async function isRunning(argument: string): Promise<boolean> {
  const { stdout } = await execa('ps', ['-eo', 'stat,args']);
  return stdout.split('\n').some((line) => line.includes(argument) && !line.startsWith('Z'));
}

describe('spawnCommand', () => {
  it('keeps an endless line in bounded memory and reports that it was cut', async () => {
    const cut = matrixRuns(1, 2);
    const printed = cut * 75_000_000;
    let chars = 0;
    let longest = 0;
    const result = await shell(`head -c ${printed} /dev/zero | tr '\\0' x`, {
      onLine: (line) => {
        chars += line.length;
        longest = Math.max(longest, line.length);
      },
    });
    expect([chars, result.cutLineCount, result.isOutputCut]).toEqual([printed, cut, false]);
    expect(longest).toBeLessThan(70_000_000);
    expect(result.stdout).toHaveLength(64 * 1024);
  });

  it('keeps the end of unread output, and reports that the rest was dropped', async () => {
    const result = await shell('head -c 80000000 /dev/zero | tr "\\0" x; printf end');
    expect([result.stdout.length, result.isOutputCut, result.stdout.endsWith('end')]).toEqual([
      MAX_COLLECTED_CHARS,
      true,
      true,
    ]);
  });

  it('reads the pipe while a background process continues writing', async () => {
    const { stdout, exitCode } = await shell(
      '(while :; do echo more; sleep 0.05; done) & printf "%065000d" 1; exit 4',
    );
    expect(exitCode).toBe(4);
    expect(stdout.replaceAll('more\n', '')).toHaveLength(65_000);
  });

  it('loses nothing when a listener is slower than the process', async () => {
    let chars = 0;
    await shell('for i in 1 2 3 4 5 6; do printf "%070000d" 1; done', {
      onChunk: (chunk) => {
        chars += chunk.length;
        const until = performance.now() + 60;
        while (performance.now() < until);
      },
    });
    expect(chars).toBe(420_000);
  });

  it('ends the command and rejects with the error of a listener', async () => {
    const error = new RangeError('no more');
    const onLine = (): void => {
      throw error;
    };
    await expect(shell('echo a; sleep 4242.5', { onLine })).rejects.toBe(error);
    expect(await isRunning('4242.5')).toBe(false);
  });

  it('kills what ignores SIGTERM after the grace', async () => {
    const controller = new AbortController();
    const reason = { any: 'value' };
    const onLine = (): void => controller.abort(reason);
    const pause = `0.07${randomInt(1_000_000)}`;
    const command = `trap "" TERM; echo a; while :; do sleep ${pause}; done`;
    await expect(shell(command, { onLine, signal: controller.signal, killGraceMs: 50 })).rejects.toBe(reason);
    expect(await isRunning(pause)).toBe(false);
  });

  it('lets the children of a shell that ended at once finish within the grace', async () => {
    const controller = new AbortController();
    const onLine = (): void => controller.abort(new RangeError('stop'));
    const child = `trap "sleep 0.2; echo saved > saved; exit" TERM; echo ready; while :; do sleep 0.05; done`;
    await expect(
      shell(`sh -c '${child}'; echo never`, { onLine, signal: controller.signal }),
    ).rejects.toThrow('stop');
    await expect(execa('cat', [join(folder, 'saved')])).resolves.toMatchObject({ stdout: 'saved' });
  });

  it.each([
    ['a program that is not there', { file: '/missing' }, 'Cannot start `/missing`'],
    ['a directory that is not there', { cwd: '/missing' }, 'the directory does not exist'],
    ['an argument over the limit', { args: ['-c', 'x'.repeat(200_000)] }, 'pass long text on stdin'],
    ['a NUL in an argument', { args: ['\0'] }, 'Cannot start'],
  ])('rejects with the reason for %s', async (_what, options, message) => {
    await expect(shell('true', options)).rejects.toMatchObject({
      name: 'SandboxError',
      code: 'exec',
      message: expect.stringContaining(message) as string,
    });
  });

  it.each([
    ['at once', ''],
    ['after a while', 'sleep 0.6'],
  ])('ends a daemon that left the group of a marked command, which ends %s', async (_when, last) => {
    const argument = `31416.${randomInt(1e9)}`;
    const env = { PATH: process.env['PATH'] ?? '', MARKER: folder };
    const makeTree = (pid: number): ReturnType<typeof markedTree> => markedTree(pid, `MARKER=${folder}`);
    const { stdout } = await shell(
      `(setsid sh -c ': > up; exec sleep ${argument}' > /dev/null 2>&1 < /dev/null &); while [ ! -e up ]; do :; done; echo up; ${last}`,
      { env, makeTree },
    );
    expect(stdout).toBe('up\n');
    await expect.poll(() => isRunning(argument)).toBe(false);
  });

  it('leaves no timer that would keep its own process', async () => {
    const program = join(folder, 'own.mjs');
    const source = pathToFileURL(join(import.meta.dirname, 'spawn-command.ts')).href;
    await writeFile(
      program,
      `import { spawnCommand } from '${source}';
       await spawnCommand({ file: '/bin/sh', args: ['-c', 'echo a'], cwd: '/', env: { PATH: process.env.PATH } });
       console.log(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length);`,
    );
    await expect(execa(process.execPath, [program])).resolves.toMatchObject({ stdout: '0' });
  });

  it.each([
    ['exits', 'process.exit(0)', '31415.1'],
    ['is interrupted', 'process.kill(process.pid, "SIGINT")', '31415.2'],
  ])('leaves nothing running when its own process %s', async (_how, end, argument) => {
    const program = join(folder, 'own.mjs');
    const source = pathToFileURL(join(import.meta.dirname, 'spawn-command.ts')).href;
    await writeFile(
      program,
      `import { spawnCommand } from '${source}';
       void spawnCommand({ file: '/bin/sh', args: ['-c', 'echo a; sleep ${argument}'], cwd: '/', env: { PATH: process.env.PATH }, onLine: () => { ${end}; } });`,
    );
    await execa(process.execPath, [program], { reject: false });
    await expect.poll(() => isRunning(argument)).toBe(false);
  });
});

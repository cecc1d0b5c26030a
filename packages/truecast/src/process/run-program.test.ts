import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram, type ProgramResult, type RunProgramOptions } from './run-program.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-program-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function shell(script: string, options: RunProgramOptions = {}): Promise<ProgramResult> {
  return runProgram('/bin/sh', ['-c', script], { cwd: folder, ...options });
}

describe('runProgram', () => {
  it('returns the exit code and both outputs, without their final newlines', async () => {
    expect(await shell('echo out; echo; echo err >&2; exit 3')).toEqual({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err',
      isTimedOut: false,
      startError: undefined,
    });
  });

  it('adds the number of the signal that ended the program to 128', async () => {
    expect(await shell('kill -KILL $$')).toMatchObject({ exitCode: 137, isTimedOut: false });
  });

  it.each([
    ['a missing program', '/missing', [], 'ENOENT'],
    ['an argument over the limit', '/bin/sh', ['-c', 'x'.repeat(200_000)], 'E2BIG'],
    ['a NUL in an argument', '/bin/sh', ['\0'], 'ERR_INVALID_ARG_VALUE'],
  ])('returns why %s cannot be started', async (_what, file, args, code) => {
    const result = await runProgram(file, args, { timeoutMs: 60_000 });
    expect(result).toMatchObject({ exitCode: undefined, stdout: '', startError: { code } });
  });

  it('writes bytes to stdin, and gives an empty stdin without them', async () => {
    expect(await shell('cat', { stdin: Buffer.from('given') })).toMatchObject({ stdout: 'given' });
    expect(await shell('cat; echo end')).toMatchObject({ stdout: 'end' });
  });

  it('ignores that a program exits without reading its stdin', async () => {
    expect(await shell('exit 4', { stdin: Buffer.alloc(1_000_000) })).toMatchObject({ exitCode: 4 });
  });

  it('reads stdin from an open file, and writes stdout into one', async () => {
    const file = await open(join(folder, 'file'), 'w+');
    await shell('printf abc', { stdout: file.fd });
    const copy = await open(join(folder, 'file'));
    expect(await shell('cat', { stdin: copy.fd })).toMatchObject({ stdout: 'abc' });
    await Promise.all([file.close(), copy.close()]);
  });

  it('passes both outputs to the listener', async () => {
    const seen: string[] = [];
    await shell('echo out; echo err >&2', { onOutput: (chunk) => seen.push(chunk) });
    expect(seen.sort()).toEqual(['err\n', 'out\n']);
  });

  it('ends the program and rejects with the error of a listener', async () => {
    const error = new RangeError('no more');
    const onOutput = (): void => {
      throw error;
    };
    await expect(shell('echo a; sleep 60', { onOutput })).rejects.toBe(error);
  });

  it('ends a program at its timeout, although its child keeps the pipe open', async () => {
    const script = 'trap "echo ended > ended; exit 9" TERM; sleep 60 & wait';
    expect(await shell(script, { timeoutMs: 200 })).toMatchObject({ exitCode: 9, isTimedOut: true });
    expect(await readFile(join(folder, 'ended'), 'utf8')).toBe('ended\n');
  });

  it('kills a program that ignores SIGTERM', async () => {
    const script = 'trap "" TERM; while :; do sleep 0.1; done';
    expect(await shell(script, { timeoutMs: 100 })).toMatchObject({ exitCode: 137, isTimedOut: true });
  });

  it('rejects with the reason of the signal, after the program has exited', async () => {
    const controller = new AbortController();
    const reason = { any: 'value' };
    const onOutput = (): void => controller.abort(reason);
    const script = 'trap "echo ended > ended; exit 0" TERM; echo ready; while :; do sleep 0.05; done';
    await expect(shell(script, { onOutput, signal: controller.signal })).rejects.toBe(reason);
    expect(await readFile(join(folder, 'ended'), 'utf8')).toBe('ended\n');
    await expect(shell('touch later', { signal: controller.signal })).rejects.toBe(reason);
    await expect(readFile(join(folder, 'later'))).rejects.toThrow('ENOENT');
  });
});

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';

it('gives a program its own variables, and keeps those of the worker', () => {
  const before = { ...process.env };
  const { stdout } = spawnSync('env', [], { env: { PATH: before['PATH'], ONLY: 'here' }, encoding: 'utf8' });
  expect(stdout.trim().split('\n').toSorted()).toEqual(['ONLY=here', `PATH=${before['PATH']}`]);
  expect({ ...process.env }).toEqual(before);
  expect(spawnSync('env', { encoding: 'utf8' }).stdout).not.toContain('quick-fork');
});

it('reports a program and a folder that do not exist', () => {
  expect(spawnSync('no-such-program').error).toMatchObject({ code: 'ENOENT' });
  expect(spawnSync('true', { cwd: '/no-such-folder' }).error).toMatchObject({ code: 'ENOENT' });
});

it('gives a program more descriptors than Node has room for on its stack', async () => {
  const file = openSync('/dev/null', 'r');
  const pipes = Array.from({ length: 6 }, () => 'pipe' as const);
  const child = spawn(
    'sh',
    ['-c', 'for fd in 3 4 5 6 7 8; do echo $fd >&$fd; done; read -r _ <&9; echo $?'],
    {
      stdio: ['ignore', 'pipe', 'inherit', ...pipes, file],
    },
  );
  closeSync(file);
  const read = child.stdio.map(async (stream) => {
    let text = '';
    if (stream && 'setEncoding' in stream) for await (const part of stream) text += String(part);
    return text.trim();
  });
  await once(child, 'close');
  expect(await Promise.all(read)).toEqual(['', '1', '', '3', '4', '5', '6', '7', '8', '']);
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BESIDE_BUBBLEWRAP, matrixRow } from '../../../../../test/matrix.ts';
import { sandboxContract } from '../../../../testing/src/sandbox-contract.ts';
import { command } from '../../agents/command.ts';
import { cleanUp, newRepository, plainGit } from '../../git/test-repository.ts';
import { run } from '../../run/run.ts';
import { daytona } from '../daytona.ts';
import { vercel } from '../vercel.ts';
import { asked } from './test-remote-doubles.ts';

vi.mock('@vercel/sandbox', async () => (await import('./test-remote-doubles.ts')).vercelSdk);
vi.mock('@daytona/sdk', async () => ({
  Daytona: (await import('./test-remote-doubles.ts')).DaytonaClientDouble,
}));

beforeEach(() => {
  asked.created.length = 0;
  asked.stopped = 0;
});
afterEach(cleanUp);

const itInRow = (row: number): ReturnType<typeof matrixRow> => matrixRow(row, BESIDE_BUBBLEWRAP);
sandboxContract('vercel, on a double', { provider: vercel() }, { describe, it: itInRow(7) });
sandboxContract('daytona, on a double', { provider: daytona() }, { describe, it: itInRow(2) });

describe.each([
  ['vercel', 0, vercel({ env: { SAID: 'by the provider' } })],
  ['daytona', 1, daytona({ env: { SAID: 'by the provider' } })],
])('%s', (name, row, sandbox) => {
  const declare = matrixRow(row, { rows: 2 });
  declare('gives the agent its prompt and its environment, brings its commits, and is stopped', async () => {
    const repository = newRepository();
    const { stdout, commits } = await run({
      agent: command({ command: 'cat; echo " $SAID"; git commit -q --allow-empty -m work' }),
      sandbox,
      branchStrategy: { type: 'merge-to-head' },
      cwd: repository,
      prompt: 'the prompt',
    });
    expect(stdout).toBe('the prompt by the provider\n');
    expect(plainGit(repository, 'log', '-1', '--format=%s', 'main')).toBe('work');
    expect(commits).toHaveLength(1);
    expect(asked.stopped).toBe(1);
  });

  declare('is stopped when the repository cannot be set up', async () => {
    const failing = run({
      agent: command({ command: 'true' }),
      sandbox,
      cwd: newRepository(),
      prompt: name,
      env: { PATH: '/nowhere' },
    });
    await expect(failing).rejects.toMatchObject({ code: 'sync' });
    expect(asked.stopped).toBe(1);
  });
});

it('vercel() passes what its SDK takes', async () => {
  const provider = vercel({ token: 't', template: 'node24', timeoutMs: 5, ports: [1], env: { A: 'secret' } });
  const machine = await provider.create({ env: {}, signal: new AbortController().signal });
  await machine.close();
  expect(asked.created).toEqual([
    { token: 't', runtime: 'node24', timeout: 5, ports: [1], signal: expect.any(AbortSignal) },
  ]);
});

it('daytona() passes what its SDK takes', async () => {
  const provider = daytona({ apiKey: 'k', target: 'eu', create: { snapshot: 's' }, env: { A: 'secret' } });
  const machine = await provider.create({ env: {} });
  await machine.close();
  expect(asked.created).toEqual([{ apiKey: 'k', target: 'eu' }, { snapshot: 's' }]);
});

it.each([
  ['vercel', vercel({ maxOutputTailChars: 3 })],
  ['daytona', daytona({ maxOutputTailChars: 3 })],
])('%s() keeps as much of a streamed output as `maxOutputTailChars` allows', async (_name, provider) => {
  const machine = await provider.create({ env: {} });
  const lines: string[] = [];
  const { stdout } = await machine.exec('printf abcdef', { onLine: (line) => lines.push(line) });
  await machine.close();
  expect([stdout, lines]).toEqual(['def', ['abcdef']]);
});

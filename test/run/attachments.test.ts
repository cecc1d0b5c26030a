/** Tests of attachments: what the agent gets, what git sees, what is refused, and what is left. */
import { mkdirSync, readdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import type { Attachment } from '../../packages/truecast/src/run/attachments/attachment.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { localIsolatedSandbox } from '../../packages/testing/src/local-isolated-sandbox.ts';
import { runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixRow } from '../matrix.ts';
import { askingAgent, printed } from './asking-agent.ts';
import { git, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

/** Prints each attached file of the prompt, with its name. */
const READ_ALL = `while IFS= read -r f || [ -n "$f" ]; do
case "$f" in "- "*.truecast-attachments-*) f="\${f#- }"; echo "\${f##*/}: $(cat "$f")";; esac
done`;

const leftIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.startsWith('.truecast-attachments'));

function fileWith(text: string, name = 'spec.md'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

const SANDBOXES = {
  none: () => noSandbox(),
  ...(runsBubblewrap && { bubblewrap: () => bubblewrap({ egress: 'none' }) }),
  isolated: () => localIsolatedSandbox(),
};

for (const [row, [name, sandbox]] of Object.entries(SANDBOXES).entries()) {
  // The short form tries each sandbox with one of the two.
  const test = matrixRow(row, { rows: 2 });

  test(`gives the agent files and bytes by path, and git nothing of them (${name})`, async () => {
    const cwd = makeRepository();
    const result = await run(
      runOptions(`${READ_ALL}; echo work > b.txt; git add -A && git commit -q -m work; git status --short`, {
        cwd,
        sandbox: sandbox(),
        branchStrategy: { type: 'merge-to-head' },
        attachments: [
          fileWith('the spec'),
          { name: 'spec.md', data: 'another' },
          { name: '.env', data: new Uint8Array([104, 105]) },
        ],
      }),
    );
    expect(result.text).toBe('1-spec.md: the spec\n2-spec.md: another\n3-.env: hi\n');
    expect(git(cwd, 'ls-tree', '-r', '--name-only', 'HEAD')).toBe('a.txt\nb.txt');
    expect(leftIn(cwd)).toEqual([]);
    expect(result.warnings).toEqual([]);
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  test(`merges nothing of an agent that commits them by force (${name})`, async () => {
    const cwd = makeRepository();
    const force = `git add -f .truecast-attachments-* && git commit -q -m forced && git rm -qr --cached . && git commit -q -m hidden`;
    const running = run(
      runOptions(force, {
        cwd,
        sandbox: sandbox(),
        branchStrategy: { type: 'merge-to-head' },
        attachments: [{ name: 'spec.md', data: 'x' }],
      }),
    );
    await expect(running).rejects.toMatchObject({
      code: 'attachment-in-commits',
      message: expect.stringContaining('1-spec.md') as unknown,
    });
    expect(git(cwd, 'log', '--format=%s', 'main')).toBe('begin');
  });
}

it('works in the checkout itself, and leaves nothing there, also after a failure', async () => {
  const cwd = makeRepository();
  const attachments = [{ name: 'a b.txt', data: 'text' }];
  const read = await run(runOptions(READ_ALL, { cwd, attachments }));
  expect(read.text).toBe('1-a b.txt: text\n');
  await expect(run(runOptions('exit 3', { cwd, attachments }))).rejects.toMatchObject({ code: 'exit' });
  expect(leftIn(cwd)).toEqual([]);
  expect(git(cwd, 'status', '--short', '--ignored')).toBe('');
});

it('gives each run of a kept sandbox its own files, and removes them when the run ends', async () => {
  const cwd = makeRepository();
  const sandbox = runsBubblewrap ? bubblewrap({ egress: 'none' }) : noSandbox();
  await using kept = await createSandbox({ cwd, branch: 'work', sandbox });
  const agent = command({ command: ['sh', '-c', READ_ALL] });
  const runs = await Promise.all(
    ['one', 'two'].map((data) =>
      kept.run({ agent, prompt: 'Read.', logging: {}, attachments: [{ name: 'x', data }] }),
    ),
  );
  expect(runs.map(({ text }) => text)).toEqual(['1-x: one\n', '1-x: two\n']);
  expect(leftIn(kept.worktreePath)).toEqual([]);
});

it('attaches the files again when a run is continued', async () => {
  const cwd = makeRepository();
  const attachments = [{ name: 'x', data: 'again' }];
  const read = `echo "<result>{\\"read\\":\\"$(cat .truecast-attachments-*/1-x)\\"}</result>"`;
  const { agent, starts } = askingAgent([printed({ question: { text: 'Which?' } }), read]);
  const schema = z.object({ read: z.string() });
  const result = await run({
    agent,
    sandbox: noSandbox(),
    cwd,
    prompt: 'Answer in <result>.',
    branchStrategy: { type: 'merge-to-head' },
    logging: {},
    output: Output.object({ tag: 'result', schema, question: true }),
    attachments,
  });
  expect((await result.answer?.('Yes.'))?.output).toEqual({ outcome: 'answered', answer: { read: 'again' } });
  expect(starts.map(({ prompt }) => prompt.match(/1-x/gu)?.length)).toEqual([1, 1]);
});

it('gives each item of a batch the shared files', async () => {
  const texts: unknown[] = [];
  const { agent, sandbox, cwd } = runOptions(`echo "<r>$(${READ_ALL})</r>"`);
  await runBatch({
    agent,
    sandbox,
    ...(cwd !== undefined && { cwd }),
    inputs: [{ N: 1 }, { N: 2 }],
    prompt: 'In <r>: {{N}}',
    output: Output.string({ tag: 'r' }),
    attachments: [{ name: 'x', data: 'shared' }],
    onResult: (result) => void texts.push('output' in result && result.output),
  });
  expect(texts).toEqual(['1-x: shared', '1-x: shared']);
});

it.each<[string, readonly Attachment[], string]>([
  ['a missing file', ['/nowhere/x.png'], 'readable file'],
  ['a folder', ['/'], 'plain file name'],
  ['another folder', ['/usr'], 'a folder'],
  ['a device', ['/dev/zero'], 'device'],
  ['a path out of the folder', [{ name: '../x', data: '' }], 'plain file name'],
  ['a line break', [{ name: 'x\nIgnore', data: '' }], 'plain file name'],
  ['reversed text', [{ name: 'x\u202Egnp.exe', data: '' }], 'plain file name'],
  ['a long name', [{ name: 'x'.repeat(201), data: '' }], '200 bytes'],
  ['too many', Array.from({ length: 33 }, (_, n) => ({ name: String(n), data: '' })), 'at most 32'],
  ['too large', [{ name: 'x', data: new Uint8Array(64 * 1024 * 1024 + 1) }], '67108864 bytes'],
  ['no name', [{ data: 'x' } as never], '`attachments[0]`'],
  ['no array', 'x.png' as never, 'an array'],
])('refuses %s before anything is created', async (_what, attachments, expected) => {
  const cwd = makeRepository();
  await expect(run(runOptions('true', { cwd, attachments }))).rejects.toMatchObject({
    code: 'invalid-attachment',
    message: expect.stringContaining(expected) as unknown,
  });
  expect(git(cwd, 'branch', '--list', '--format=%(refname:short)')).toBe('main');
});

it('does not wait for a pipe', async () => {
  const path = join(temporaryFolder(), 'pipe');
  await execa('mkfifo', [path]);
  await expect(run(runOptions('true', { attachments: [path] }))).rejects.toMatchObject({
    code: 'invalid-attachment',
  });
});

it('follows no link of a checkout, neither to a file nor on the way to one', async () => {
  const cwd = makeRepository();
  const secret = fileWith('secret', 'key');
  symlinkSync(secret, join(cwd, 'shot.png'));
  symlinkSync(join(secret, '..'), join(cwd, 'shots'));
  for (const path of ['shot.png', 'shots/key']) {
    await expect(
      run(runOptions('true', { cwd, attachments: [join(cwd, path)] })),
      path,
    ).rejects.toMatchObject({ code: 'unsafe-path' });
  }
});

it('removes what a killed run left, and nothing that its record does not name', async () => {
  const cwd = makeRepository();
  const name = '.truecast-attachments-0123abcd';
  const records = join(cwd, '.git', 'truecast', 'attachments');
  mkdirSync(records, { recursive: true });
  mkdirSync(join(cwd, name));
  mkdirSync(join(cwd, 'src'));
  const owner = { pid: 1, bootId: 'another', host: (await execa('hostname')).stdout };
  writeFileSync(join(records, 'one.json'), JSON.stringify({ owner, worktree: cwd, name }));
  writeFileSync(join(records, 'two.json'), JSON.stringify({ owner, worktree: cwd, name: 'src' }));
  await run(runOptions('true', { cwd }));
  expect(leftIn(cwd)).toEqual([]);
  expect(readdirSync(cwd)).toContain('src');
});

it('refuses a file that grows while it is copied', async () => {
  const path = fileWith('');
  truncateSync(path, 40 * 1024 * 1024);
  const hook = `truncate -s 80M '${path}.new' && mv '${path}.new' '${path}'`;
  const running = run(
    runOptions('true', { attachments: [path], hooks: { host: { onSandboxReady: [{ command: hook }] } } }),
  );
  await expect(running).rejects.toMatchObject({ code: 'invalid-attachment' });
  expect(statSync(path).size).toBe(80 * 1024 * 1024);
});

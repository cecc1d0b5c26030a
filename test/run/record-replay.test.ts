/**
 * Tests of a recording and its replay: the same text, work and answer, without agent, key or
 * network.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';
import type { KeptRun } from '../../packages/truecast/src/run/record/kept-run-record.ts';
import { listKeptRunIds, readKeptRun } from '../../packages/truecast/src/run/record/read-kept-runs.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { replay } from '../../packages/truecast/src/run/record/replay.ts';
import type { RunOptions, RunResult } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { step } from '../../packages/testing/src/scripted-agent/agent-step.ts';
import { scriptedAgent } from '../../packages/testing/src/scripted-agent/scripted-agent.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions, temporaryFolder, type AtEnd } from './fixture.ts';

const output = Output.object({
  tag: 'result',
  schema: z.object({ answer: z.number() }),
  maxCorrections: 1,
  retry: 'fresh',
});

/** Commits, leaves a file uncommitted, answers wrongly, and then correctly. */
const worker = (): AgentProvider =>
  scriptedAgent({
    steps: ({ callIndex }) =>
      callIndex === 0
        ? [
            step.print('I work. \u{1F600}'),
            step.pause(200),
            step.shell(
              `printf 'caf\\351\\n' > b.txt; printf '\\000\\001\\377' > blob; git add -A; git -c user.name='O''Neil' -c user.email=o@example.invalid commit -q -m "feat: it's b" -m 'Body  with  "quotes"'; echo rest > c.txt; rm a.txt`,
            ),
            step.print('<res'),
            step.pause(200),
            step.print('ult>{"answer":"?"}</result>'),
            step.complain('a complaint'),
          ]
        : [step.print('<result>{"answer":42}</result>')],
  });

async function play(agent: AgentProvider, changes: Partial<RunOptions> = {}): Promise<[RunResult, string]> {
  const cwd = changes.cwd ?? makeRepository();
  const options = runOptions('', { agent, cwd, ...changes });
  return [await run({ ...options, output }), cwd];
}

/** A patch that adds a file or a link. */
function added(path: string, text: string, mode = '100644'): string {
  const header = `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n`;
  return `${header}@@ -0,0 +1 @@\n+${text}\n\\ No newline at end of file\n`;
}

/** Names of all files, except git's objects and logs and those of Truecast. */
function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => !/\/(?:objects|logs|truecast|\.truecast)(?:\/|$)/u.test(name)).toSorted();
}

async function newestKeptRun(cwd: string): Promise<KeptRun | undefined> {
  const folder = stateFolderOf(cwd);
  const [id = ''] = await listKeptRunIds(folder);
  return readKeptRun(folder, id);
}

type Recorded = readonly [file: string, result: RunResult, cwd: string];

async function record(changes: Partial<RunOptions> = {}, atEnd?: AtEnd): Promise<Recorded> {
  const file = join(temporaryFolder(atEnd), 'deep', 'recording.jsonl');
  return [file, ...(await play(worker(), { logging: { record: file }, ...changes }))];
}

/** One run that all replays read, and none changes. */
let recorded: Recorded;
beforeAll(async () => {
  recorded = await record({ cwd: makeRepository('repo', afterAll) }, afterAll);
});

const work = (cwd: string): unknown => ({
  commit: git(cwd, 'log', '-1', '--format=%an %ae %aI %B %T'),
  status: git(cwd, 'status', '--short', '--', '.', ':!.truecast'),
  blob: readFileSync(join(cwd, 'blob')).toString('hex'),
  text: readFileSync(join(cwd, 'b.txt')).toString('hex'),
});

describe('a replay', () => {
  it('gives the same answer, provenance and words as the run that was recorded', async () => {
    const [file, original] = recorded;
    const [played, cwd] = await play(replay(file, { strict: true }));
    expect(await newestKeptRun(cwd)).toMatchObject({ code: 'ok', isReplayed: true });
    expect(played).toMatchObject({ output: { answer: 42 }, provenance: original['provenance' as never] });
    expect({ text: played.text, stdout: played.stdout, iterations: played.iterations }).toEqual({
      text: original.text,
      stdout: original.stdout,
      iterations: original.iterations,
    });
    expect(played.warnings).toEqual([]);
  });

  it('makes the same commits and leaves the same files, byte for byte', async () => {
    const [file, , original] = recorded;
    const [played, copy] = await play(replay(file, { strict: true }));
    expect(work(copy)).toEqual(work(original));
    expect(played.commits).toHaveLength(1);
  });

  it('creates new commits for the recorded ones', async () => {
    const cwd = makeRepository();
    const begin = git(cwd, 'rev-parse', 'HEAD');
    const [file, original] = await record({ cwd, branchStrategy: { type: 'branch', branch: 'one' } });
    const [played] = await play(replay(file), {
      cwd,
      branchStrategy: { type: 'branch', branch: 'two', baseBranch: begin },
    });
    expect(git(cwd, 'rev-parse', 'two^{tree}')).toBe(git(cwd, 'rev-parse', 'one^{tree}'));
    expect(played.commits).toHaveLength(original.commits.length);
  });

  it('gives words alone with `work: false`', async () => {
    const [file] = recorded;
    const [played, cwd] = await play(replay(file, { work: false }));
    expect(played.commits).toEqual([]);
    expect(git(cwd, 'ls-files')).toBe('a.txt');
  });

  it('cuts the stream where it was cut, and keeps its times with `speed: 1`', async () => {
    const [file] = recorded;
    const arrivals: [number, string][] = [];
    const agent = replay(file, { speed: 1, work: false });
    const created = { worktreePath: makeRepository(), hostRepoPath: '/', mounts: [], env: {} };
    const handle = await noSandbox().create(created);
    const startedMs = performance.now();
    await agent.execute?.({
      handle,
      command: agent.buildPrintCommand({ prompt: 'x', dangerouslySkipPermissions: true }),
      options: { onChunk: (chunk) => arrivals.push([performance.now() - startedMs, chunk]) },
      onEvent: () => undefined,
    });
    expect(arrivals.map(([, chunk]) => chunk)).toEqual([
      'I work. \u{1F600}',
      '<res',
      'ult>{"answer":"?"}</result>',
    ]);
    const recordedAtMs = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"type":"stdout"'))
      .map((line) => (JSON.parse(line) as { atMs: number }).atMs);
    // From the start, because a busy machine can deliver the first chunk late. A timer is never early.
    expect(arrivals[2]![0]).toBeGreaterThanOrEqual(recordedAtMs[2]! - 5);
  });

  it('warns of a prompt that was not recorded, and refuses it when strict', async () => {
    const [file] = recorded;
    const [played] = await play(replay(file), { prompt: 'Another one, in <result>.' });
    expect(played.warnings.join()).toContain('The prompt differs from the recorded one');
    await expect(
      play(replay(file, { strict: true }), { prompt: 'Another one, in <result>.' }),
    ).rejects.toThrow(UsageError);
  });

  it('warns if recorded work cannot be applied, and fails when strict', async () => {
    const [file] = recorded;
    const unlike = (): string => {
      const cwd = makeRepository();
      git(cwd, 'rm', '-q', 'a.txt');
      git(cwd, 'commit', '-q', '-m', 'other');
      return cwd;
    };
    const [played] = await play(replay(file), { cwd: unlike() });
    expect(played.warnings.join()).toContain('cannot be applied to this worktree');
    await expect(play(replay(file, { strict: true }), { cwd: unlike() })).rejects.toThrow(
      /cannot be applied/u,
    );
  });

  it('throws when all turns were replayed', async () => {
    const [file] = recorded;
    const agent = replay(file);
    await play(agent);
    await expect(play(agent)).rejects.toThrow('has 2 turns, and all were replayed');
  });

  it('fails as the recorded run failed', async () => {
    const file = join(temporaryFolder(), 'r.jsonl');
    const agent = scriptedAgent({ steps: [step.print('no'), step.complain('it broke'), step.exit(7)] });
    await expect(play(agent, { logging: { record: file } })).rejects.toThrow('it broke');
    await expect(play(replay(file))).rejects.toMatchObject({ code: 'exit', exitCode: 7 });
    const silent = scriptedAgent({ steps: [step.print('nothing')] });
    await expect(play(silent, { logging: { record: file } })).rejects.toThrow(StructuredOutputError);
    await expect(play(replay(file))).rejects.toThrow(StructuredOutputError);
  });

  it('succeeds where the recorded process hung after its completion signal', async () => {
    const file = join(temporaryFolder(), 'r.jsonl');
    const agent = scriptedAgent({
      steps: [step.print('<result>{"answer":1}</result><promise>COMPLETE</promise>'), step.pause(60_000)],
    });
    await play(agent, { timeouts: { completionMs: 200 }, logging: { record: file } });
    const [played] = await play(replay(file));
    expect(played).toMatchObject({ output: { answer: 1 }, completionSignal: '<promise>COMPLETE</promise>' });
  });

  it('never reports an interrupted turn as a success', async () => {
    const file = join(temporaryFolder(), 'r.jsonl');
    const agent = scriptedAgent({
      steps: [step.print('<result>{"answer":1}</result>'), step.pause(60_000)],
    });
    await expect(play(agent, { timeouts: { idleMs: 3_000 }, logging: { record: file } })).rejects.toThrow(
      'printed nothing',
    );
    await expect(play(replay(file))).rejects.toMatchObject({ code: 'exit', output: { answer: 1 } });
    const cutOff = readFileSync(file, 'utf8').split('\n').slice(0, 2).join('\n');
    writeFileSync(file, `${cutOff}\n{"type":"std`);
    await expect(play(replay(file))).rejects.toThrow('ends within this turn');
  });
});

describe('a recording', () => {
  it('contains no secret, and is readable only by its owner', async () => {
    const secret = 'sk-a-secret-of-many-letters';
    const file = join(temporaryFolder(), 'r.jsonl');
    const agent = scriptedAgent({
      steps: [
        step.print('key sk-a-secret'),
        step.pause(30),
        step.print('-of-many-letters <result>{"answer":1}</result>'),
        step.complain(secret),
        step.shell(`echo ${secret} > leak.txt`),
      ],
    });
    const [result] = await play(agent, {
      logging: { record: file },
      env: { MY_API_KEY: secret },
      prompt: `${secret} <result>`,
    });
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
    expect(readFileSync(file, 'utf8')).not.toContain('"type":"work"');
    expect(result.warnings.join()).toContain('contain a secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [played] = await play(replay(file, { strict: true }), { prompt: `${secret} <result>` });
    expect(played.text).toMatch(/key \*+ <result>/u);
  });

  it.each([
    ['no file', undefined, 'readable recording'],
    ['no recording', 'hello\n', 'not a recording header'],
    ['one of a later version', '{"truecastRecording":2}\n', 'expected version 1, got `2`'],
    [
      'one with a line of another kind',
      '{"truecastRecording":1,"agent":"command","isPlainText":true,"recordedAt":"x"}\n{"type":"turn"}\n{}\n{}\n',
      'line 2 is invalid',
    ],
    [
      'one of an unknown agent',
      '{"truecastRecording":1,"agent":"nobody","isPlainText":false,"recordedAt":"x"}\n',
      '`nobody`',
    ],
  ])('is refused when it is %s', (_title, text, message) => {
    const file = join(temporaryFolder(), 'r.jsonl');
    if (text !== undefined) writeFileSync(file, text);
    expect(() => replay(file)).toThrow(message);
    expect(() => replay(file)).toThrow(UsageError);
  });

  it.each([
    ['into the git directory', added('.git/hooks/pre-commit', 'touch ran')],
    ['into it by another spelling', added('.GIT/config', '[core]')],
    ['outside of the worktree', added('../outside', 'x')],
    ['to an absolute path', added('/tmp/outside', 'x')],
    ['through a link that it makes', `${added('link', '..', '120000')}${added('link/outside', 'x')}`],
  ])('writes nothing %s, in files and commits', async (_title, patch) => {
    const cwd = makeRepository();
    const before = [filesBelow(join(cwd, '..')), readFileSync(join(cwd, '.git', 'config'), 'utf8')];
    const encoded = Buffer.from(patch).toString('base64');
    const commit = {
      authorName: "'; touch ran; '",
      authorEmail: '$(touch ran)',
      authorDate: '2026-01-01T00:00:00Z',
      message: "'`touch ran`",
      patch: encoded,
    };
    for (const work of [
      { files: encoded, commits: [] },
      { files: '', commits: [commit] },
    ]) {
      const file = join(temporaryFolder(), 'r.jsonl');
      const lines = [
        { truecastRecording: 1, agent: 'command', isPlainText: true, recordedAt: 'x' },
        { type: 'turn', prompt: 'x', promptSha256: 'x', command: 'x' },
        { type: 'stdout', atMs: 0, text: '<result>{"answer":1}</result>' },
        { type: 'end', atMs: 0, exitCode: 0, stderrTail: '', endedBy: 'itself' },
        { type: 'work', ...work },
      ];
      writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const [{ warnings, commits }] = await play(replay(file), { cwd });
      expect(warnings.join()).toContain('cannot be applied');
      expect(commits).toEqual([]);
    }
    expect([filesBelow(join(cwd, '..')), readFileSync(join(cwd, '.git', 'config'), 'utf8')]).toEqual(before);
  });

  it('is refused where it cannot be written, before the agent starts', async () => {
    await expect(play(worker(), { logging: { record: '/dev/null/x' } })).rejects.toThrow('cannot be written');
    await expect(play(worker(), { logging: { record: '' } })).rejects.toThrow('path of a file');
  });
});

describeInBubblewrap('a replay in bubblewrap', () => {
  it('works there as it was recorded there', async () => {
    const branchStrategy = { type: 'merge-to-head' } as const;
    const [file, , original] = await record({ sandbox: bubblewrap({ egress: 'none' }), branchStrategy });
    const [played, copy] = await play(replay(file, { strict: true }), {
      sandbox: bubblewrap({ egress: 'model' }),
      branchStrategy,
    });
    expect(played.commits).toHaveLength(1);
    expect(git(copy, 'rev-parse', 'HEAD^{tree}')).toBe(git(original, 'rev-parse', 'HEAD^{tree}'));
  });
});

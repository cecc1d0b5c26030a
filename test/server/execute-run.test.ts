/** Tests of the execution of agent runs: a real `run()` in bubblewrap, of a program that prints the lines of Claude Code. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { repositoryStateFolder } from '../../packages/host/src/state-folder.ts';
import { openExecutionStore } from '../../packages/truecast/src/run/executions/execution-store.ts';
import type { ExecutionRecord } from '../../packages/truecast/src/run/executions/execution-record.ts';
import { ChatStateError } from '../../packages/core/src/errors/chat-state-error.ts';
import type { AgentRunSettings } from '../../packages/server/src/config/run-settings.ts';
import { openExecutor } from '../../packages/server/src/serve/open-runs.ts';
import type { AgentExecutor } from '../../packages/server/src/runs/agent-executor.ts';
import type { NewRunEvent } from '../../packages/server/src/runs/run-event.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { CLAUDE_SESSION, printResult, printText, writeFakeClaude } from '../fake-claude.ts';
import { installFakeClaude } from '../install-fake-claude.ts';
import { itWhole } from '../matrix.ts';
import { commitLine, git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { claimRun, makeReport } from './claimed-run.ts';

vi.setConfig({ testTimeout: 120_000 });

const PRINT_ANSWER = printResult({
  total_cost_usd: 0.25,
  usage: { input_tokens: 40, output_tokens: 2 },
  structured_output: { answer: 42 },
});
/** A variable of the worker with the name of a secret. */
const SECRET = 'tulip-meadow-8842';

async function makeWorld(script: string, result = PRINT_ANSWER, runs: Partial<AgentRunSettings> = {}) {
  installFakeClaude(script, result);
  const cwd = makeRepository();
  const executor = await openExecutor({
    repositories: { web: { path: cwd } },
    runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none', ...runs },
  });
  return { cwd, executor: executor as AgentExecutor };
}

const subjects = (cwd: string): readonly string[] =>
  git(cwd, 'log', '--reverse', '--format=%s', 'truecast/runs/run-1').split('\n');

describeInBubblewrap('an execution of an agent run', () => {
  it('notes each step before the next one, and a second one returns the result without an agent', async () => {
    const { cwd, executor } = await makeWorld(`git commit -q --allow-empty -m start\n${commitLine('b.txt')}`);
    const base = git(cwd, 'rev-parse', 'HEAD');
    const { notes, events, report } = makeReport();
    const ending = await executor.execute(claimRun(), report);
    const commits = git(cwd, 'rev-list', '--reverse', `${base}..truecast/runs/run-1`).split('\n');
    const { artifacts, onStored, ...plain } = ending;
    expect(artifacts?.map(({ name }) => name)).toEqual(['log', 'changes.patch']);
    onStored?.();
    expect(plain).toEqual({
      status: 'succeeded',
      valueText: '{"answer":42}',
      mode: 'native',
      attempts: [{ code: 'ok', message: expect.any(String) as string }],
      baseSha: base,
      headSha: commits[1],
      commits,
      branch: 'truecast/runs/run-1',
      warnings: expect.any(Array) as string[],
      usage: expect.objectContaining({ input_tokens: 40, cost_usd: 0.25 }) as object,
    });
    expect(notes.flatMap(({ phase }) => phase ?? [])).toEqual(['working', 'answered', 'settled']);
    expect(notes[0]).toMatchObject({ phase: 'working', baseSha: base });
    const commitEvents = commits.map((sha) => ({ type: 'commit', sha }));
    expect(events.filter(({ type }) => type === 'commit')).toEqual(commitEvents);
    // The time of the run is over, and no agent needs it.
    const again = claimRun({
      execution: 2,
      earlier: { phase: 'answered', baseSha: base },
      elapsedMs: 4_000_000,
    });
    await expect(executor.execute(again, makeReport().report)).resolves.toMatchObject({
      status: 'succeeded',
      valueText: '{"answer":42}',
      commits,
    });
    const canceled = makeReport();
    canceled.stop.abort('canceled');
    await expect(executor.execute(again, canceled.report)).resolves.toMatchObject({
      status: 'stopped',
      commits,
    });
    expect(subjects(cwd)).toEqual(['begin', 'start', 'add b.txt']);
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('throws away the work of a read-only run, and returns its answer again', async () => {
    const { cwd, executor } = await makeWorld(
      `[ ! -e new.txt ] || exit 1\n${commitLine('b.txt')}\necho 1 > c.txt`,
    );
    const base = git(cwd, 'rev-parse', 'HEAD');
    writeFileSync(join(cwd, 'new.txt'), 'x');
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-q', '-m', 'new');
    const reading = { request: { ...claimRun().request, read_only: true, ref: base } };
    const read = {
      status: 'succeeded',
      valueText: '{"answer":42}',
      commits: [],
      baseSha: base,
      headSha: base,
    };
    const ending = await executor.execute(claimRun(reading), makeReport().report);
    expect(ending).toMatchObject(read);
    expect(ending).not.toHaveProperty('branch');
    const earlier = { phase: 'answered', baseSha: base } as const;
    // It would fail.
    installFakeClaude('exit 1');
    const again = claimRun({ ...reading, execution: 2, earlier });
    expect(await executor.execute(again, makeReport().report)).toMatchObject(read);
    expect(git(cwd, 'branch', '--list', '--format=%(refname:short)')).toBe('main');
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('fails with a code for a ref that is missing, and for a repository that is gone', async () => {
    const { cwd, executor } = await makeWorld(commitLine('b.txt'));
    const failureOf = async (claimed = claimRun()): Promise<unknown> => {
      const { notes, report } = makeReport();
      const ending = await executor.execute(claimed, report);
      // No agent has started.
      expect(notes.flatMap(({ phase }) => phase ?? [])).toEqual([]);
      return ending.status === 'failed' ? [ending.error.code, ending.error.reason] : ending;
    };
    const missing = claimRun({ request: { ...claimRun().request, ref: 'missing' } });
    expect(await failureOf(missing)).toEqual(['configuration_error', 'invalid_branch']);
    rmSync(join(cwd, '.git'), { recursive: true });
    expect(await failureOf()).toEqual(['repository_failed', 'not_a_repository']);
    rmSync(cwd, { recursive: true });
    expect(await failureOf()).toEqual(['configuration_error', 'invalid_cwd']);
  });

  it('starts no agent for a run that another worker has', async () => {
    const { cwd, executor } = await makeWorld(commitLine('b.txt'));
    const superseded = new ChatStateError('Another worker has it.', { code: 'superseded' });
    const { report } = makeReport(() => Promise.reject(superseded));
    await expect(executor.execute(claimRun(), report)).resolves.toMatchObject({
      status: 'stopped',
      commits: [],
    });
    expect(subjects(cwd)).toEqual(['begin']);
  });

  it('rejects after a fault of the server, and starts no agent', async () => {
    const { cwd, executor } = await makeWorld(commitLine('b.txt'));
    const { report } = makeReport(() => Promise.reject(new Error('fault')));
    await expect(executor.execute(claimRun(), report)).rejects.toThrow('fault');
    expect(subjects(cwd)).toEqual(['begin']);
  });

  itWhole('stops an agent, and returns its commits', async () => {
    const { cwd, executor } = await makeWorld(commitLine('b.txt'), `${printText('I wait.')}; sleep 600`);
    const { report, stop } = makeReport();
    const tell = ({ type }: NewRunEvent): void => {
      if (type === 'text') stop.abort('canceled');
    };
    const ending = await executor.execute(claimRun(), { ...report, event: tell });
    expect(ending).toMatchObject({ status: 'stopped', branch: 'truecast/runs/run-1' });
    expect(ending).toMatchObject({ commits: [git(cwd, 'rev-parse', 'truecast/runs/run-1')] });
  });

  it('continues another run in a copy of its session, and without the session with its prompt', async () => {
    const { cwd, executor } = await makeWorld('true');
    const folder = mkdtempSync(join(tmpdir(), 'truecast-claude-'));
    vi.stubEnv('CLAUDE_CONFIG_DIR', folder);
    const keepAsked = '{ echo "$@"; cat; } > asked.txt && git add asked.txt && git commit -q -m asked >&2';
    vi.stubEnv('PATH', writeFakeClaude(temporaryFolder(), `${keepAsked}\n${PRINT_ANSWER}`));
    const continued = { sessionId: CLAUDE_SESSION, prompt: 'Find it.' };
    const asked = () => git(cwd, 'show', 'truecast/runs/run-1:asked.txt');
    const without = makeReport();
    const first = await executor.execute(claimRun({ continued }), without.report);
    const warning = expect.stringContaining(
      `\`${CLAUDE_SESSION}\` of the agent \`claude-code\` is not on this`,
    );
    expect(first).toMatchObject({ status: 'succeeded', warnings: [warning] });
    expect(without.events).toContainEqual({ type: 'warning', message: warning });
    expect(asked()).toMatch(
      /Find it\.\n\nYou have begun this task before, and your work is here\.\n\nCount\./u,
    );
    expect(asked()).not.toContain('--resume');

    mkdirSync(join(folder, 'projects', 'web'), { recursive: true });
    writeFileSync(join(folder, 'projects', 'web', `${CLAUDE_SESSION}.jsonl`), '{"cwd":"/web"}\n');
    const second = await executor.execute(claimRun({ id: 'run-2', continued }), makeReport().report);
    expect(second).toMatchObject({ status: 'succeeded', branch: 'truecast/runs/run-1', warnings: [] });
    expect(asked()).toContain(`--resume ${CLAUDE_SESSION} --fork-session`);
    expect(asked()).not.toContain('You have begun');
    expect(subjects(cwd)).toEqual(['begin', 'asked', 'asked']);
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it('keeps an accepted answer whose commits were deleted as evidence', async () => {
    const { cwd, executor } = await makeWorld(commitLine('b.txt'));
    const store = openExecutionStore(repositoryStateFolder(join(cwd, '.git')), 'run-1');
    let atAnswer: ExecutionRecord | undefined;
    const { report } = makeReport(async ({ phase }) => {
      if (phase === 'answered') atAnswer = store.read();
    });
    await executor.execute(claimRun(), report);
    // As if it had been killed there.
    store.write(atAnswer!);
    git(cwd, 'branch', '-D', 'truecast/runs/run-1');
    const baseSha = git(cwd, 'rev-parse', 'HEAD');
    const again = claimRun({ execution: 2, earlier: { phase: 'answered', baseSha } });
    const { artifacts: _log, onStored: _, ...ending } = await executor.execute(again, makeReport().report);
    expect(ending).toEqual({ status: 'lost', reason: 'no_tree', baseSha, valueText: '{"answer":42}' });
  });

  it('stores the artifacts of a run that failed, and no secret in any of them', async () => {
    vi.stubEnv('OWN_API_TOKEN', SECRET);
    // The recorder asks the program for its version too.
    const work = `[ -e b.txt ] || { printf 'caf\\351 ${SECRET}\\n' > b.txt && git add b.txt && git commit -q -m b && echo '${SECRET}' > c.txt; }`;
    const { cwd, executor } = await makeWorld(work, `${printText(`I know ${SECRET}.`)}; exit 3`, {
      record: true,
    });
    const { report } = makeReport();
    const ending = await executor.execute(claimRun(), report);
    expect(ending).toMatchObject({ status: 'failed', error: { code: 'agent_failed' } });
    const stored = new Map(ending.artifacts?.map(({ name, bytes }) => [name, Buffer.from(bytes)]));
    expect([...stored.keys()].sort()).toEqual([
      'changes.patch',
      'log',
      'recording.jsonl',
      'uncommitted.patch',
    ]);
    const masked = '*'.repeat(SECRET.length);
    for (const [name, bytes] of stored) {
      expect([name, bytes.includes(SECRET), bytes.includes(masked)]).toEqual([name, false, true]);
    }
    expect(stored.get('log')?.toString()).toMatch(/^--- Run started: .*I know \*{17}\.\n.*Run failed: /su);
    expect(stored.get('recording.jsonl')?.toString()).toMatch(/^\{"truecastRecording":1,/u);
    const checkout = join(temporaryFolder(), 'checkout');
    git(cwd, 'worktree', 'add', '-q', '--detach', checkout, ending.baseSha ?? '');
    for (const name of ['changes.patch', 'uncommitted.patch']) {
      execFileSync('git', ['apply'], { cwd: checkout, input: stored.get(name) });
    }
    expect(readFileSync(join(checkout, 'b.txt'), 'latin1')).toBe(`caf\u00E9 ${masked}\n`);
    expect(readFileSync(join(checkout, 'c.txt'), 'utf8')).toBe(`${masked}\n`);
  });

  it('has no artifacts for a run that another worker has', async () => {
    const { executor } = await makeWorld(commitLine('b.txt'));
    expect(await executor.execute(claimRun(), makeReport().report)).toHaveProperty('artifacts');
    const other = makeReport();
    other.stop.abort('superseded');
    const earlier = { phase: 'answered' } as const;
    const ending = await executor.execute(claimRun({ execution: 2, earlier }), other.report);
    expect(ending).not.toHaveProperty('artifacts');
    expect(other.notes).toEqual([]);
  });

  it('does not start again what another machine has', async () => {
    const { cwd, executor } = await makeWorld(commitLine('b.txt'));
    const elsewhere = claimRun({ execution: 2, earlier: { phase: 'working' } });
    const ending = await executor.execute(elsewhere, makeReport().report);
    expect(ending).toEqual({ status: 'lost', reason: 'no_tree' });
    expect(git(cwd, 'branch', '--list', 'truecast/*')).toBe('');
  });
});

it.each([
  [['claude'], { web: { path: '.' } }, 'got `claude`. Remove it.'],
  [['claude-code'], {}, 'Expected `repositories` beside `runs`, got none.'],
  [['claude-code'], { web: { path: '/' } }, 'The path of `repositories.web` has no repository:'],
])(
  'a configuration with the agents %j and the repositories %j is refused',
  async (agents, repositories, said) => {
    const opened = openExecutor({ repositories, runs: { agents, sandbox: 'bubblewrap' } });
    await expect(opened).rejects.toThrow(said);
  },
);

it.each([
  ['bubblewrap', 1],
  ['podman', 2],
] as const)('a worker waits for the lost agent of %s for %i leases', async (sandbox, leases) => {
  const executor = await openExecutor({
    repositories: { web: { path: makeRepository() } },
    runs: { agents: ['claude-code'], sandbox, imageName: 'none', egress: 'none' },
  });
  expect(executor?.leases).toBe(leases);
});

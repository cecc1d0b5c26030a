/** Tests of agent runs of a repository at an address: a real git server, a real `run()` in bubblewrap, and pushes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { toAnswerFormat } from '../../packages/client/src/answer/answer-format.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { StoreError } from '../../packages/core/src/errors/store-error.ts';
import { openExecutor } from '../../packages/server/src/serve/open-runs.ts';
import { view } from '../../packages/core/src/shape/view.ts';
import type {
  AgentExecutor,
  ClaimedRun,
  EarlierExecution,
  RunNote,
} from '../../packages/server/src/runs/agent-executor.ts';
import type { PushMode } from '../../packages/client/src/wire/wire-codes.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { printResult, writeFakeClaude } from '../fake-claude.ts';
import { startGitServer, type GitServer } from '../git-server.ts';
import { itWhole, matrixCases } from '../matrix.ts';
import { git, temporaryFolder } from '../run/fixture.ts';
import { claimRun, makeReport } from './claimed-run.ts';
import { CLAUDE, worktreeOf } from './run-world.ts';

vi.setConfig({ testTimeout: 120_000 });

const PASSWORD = 'correct-horse-4711';
const BRANCH = 'truecast/runs/run-1';
const { begin, commit, session, storeSession, say, answer } = CLAUDE;
const LIMITS = { fetchMs: 30_000, pushMs: 30_000, leaveMs: 1_000, pauseMs: 10 };
/** The first answer is wrong, so the agent has two turns. */
const TWO_TURNS = [
  begin,
  session,
  storeSession,
  commit('half'),
  `[ -n "$again" ] || { ${answer('wrong')}; exit; }`,
  commit('rest'),
  answer(42),
];

interface Machine {
  readonly folder: string;
  readonly executor: AgentExecutor;
  /** Folder of the clone. */
  readonly clone: string;
}

/** Opens the executor of a machine. */
async function openMachine(
  server: GitServer,
  script: readonly string[],
  {
    push,
    bin = '',
    limits,
  }: { readonly push?: PushMode; readonly bin?: string; readonly limits?: Partial<typeof LIMITS> } = {},
): Promise<Machine> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'bin'));
  const path = writeFakeClaude(join(folder, 'bin'), script.join('\n'));
  vi.stubEnv('PATH', bin === '' ? path : `${bin}${delimiter}${path}`);
  vi.stubEnv('HOME', folder);
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, '.claude'));
  // The worker itself has it.
  vi.stubEnv('API_GIT_TOKEN', PASSWORD);
  const credential = { env: 'API_GIT_TOKEN' };
  const executor = await openExecutor(
    {
      repositories: { web: { url: server.url, credential, ...(push !== undefined && { push }) } },
      runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none' },
    },
    { environment: process.env, folder, remoteLimits: { ...LIMITS, ...limits } },
  );
  const repositories = join(folder, '.truecast', 'repositories');
  const [name = ''] = execFileSync('ls', [repositories], { encoding: 'utf8' }).split('\n');
  return { folder, executor: executor as AgentExecutor, clone: join(repositories, name) };
}

/** An answer, a question or a refusal. */
const { format: response_format } = toAnswerFormat({
  output: Output.object({ schema: z.object({ answer: z.int() }), question: true, decline: true }),
});

const asked = (changes: Partial<ClaimedRun['request']>): Partial<ClaimedRun> => ({
  request: { ...claimRun().request, ...changes },
});

describeInBubblewrap('a run of a repository at an address', () => {
  it('is pushed after each turn and at its end, and only the calls of git have the credential', async () => {
    const server = await startGitServer(PASSWORD);
    const bin = join(temporaryFolder(), 'logged');
    mkdirSync(bin);
    const program = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> ${bin}/calls\nexec ${program} "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    const look = [
      '{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/task/*/environ | tr "\\0" "\\n"',
      'git config --list --show-origin; echo "remotes: $(git remote -v)"',
      `grep -rl ${PASSWORD.slice(0, 7)}"" "$HOME" .; } > seen.txt 2> /dev/null`,
      'git add seen.txt && git commit -q -m seen >&2',
    ];
    const { folder, executor, clone } = await openMachine(
      server,
      [...TWO_TURNS.slice(0, 1), ...look, ...TWO_TURNS.slice(1)],
      { bin },
    );
    const { notes, events, report } = makeReport();
    const ending = await executor.execute(claimRun(), report);
    expect(ending).toMatchObject({ status: 'succeeded', valueText: '{"answer":42}' });
    const subjects = ['start', 'seen', 'half', 'start again', 'seen', 'rest'];
    expect(server.subjects(BRANCH)).toEqual(subjects);
    expect(ending).toMatchObject({
      pushedSha: git(server.path, 'rev-parse', BRANCH),
      headSha: ending.pushedSha,
    });
    const noted = notes.flatMap(({ pushedSha }) => pushedSha ?? []);
    expect(noted.map((sha) => git(server.path, 'log', '-1', '--format=%s', sha))).toEqual(['half', 'rest']);

    const seen = git(clone, 'show', `${BRANCH}:seen.txt`);
    expect(seen).toContain('HOME=');
    expect(seen).toMatch(/^remotes: *$/mu);
    const calls = readFileSync(join(bin, 'calls'), 'utf8');
    expect(calls).toContain(server.url);
    expect(ending.artifacts?.map(({ name }) => name)).toEqual(['log', 'changes.patch']);
    const blobs = [...notes.flatMap((note) => note.blobs ?? []), ...(ending.artifacts ?? [])];
    const stored = blobs.map(({ bytes }) => Buffer.from(bytes).toString());
    for (const text of [seen, calls, JSON.stringify([ending, notes, events]), ...stored]) {
      expect(text).not.toContain(PASSWORD);
    }
    expect(seen).not.toContain(server.url);
    const found = spawnSync('grep', ['-rl', PASSWORD, folder]);
    expect([found.status, found.stdout.toString()]).toEqual([1, '']);
  });

  it.each(
    matrixCases(1, [
      ['on_success', 'always', ['start', 'half', 'start again', 'rest']],
      ['never', undefined, []],
      [undefined, 'never', []],
    ] as const),
  )(
    'with the limit %s and the request %s is pushed as the narrower one says',
    async (limit, push, pushed) => {
      const server = await startGitServer(PASSWORD);
      const { executor } = await openMachine(server, TWO_TURNS, limit === undefined ? {} : { push: limit });
      const { notes, report } = makeReport();
      const ending = await executor.execute(claimRun(push === undefined ? {} : asked({ push })), report);
      expect(ending.status).toBe('succeeded');
      expect(notes.flatMap(({ pushedSha }) => pushedSha ?? [])).toEqual([]);
      expect(server.subjects(BRANCH)).toEqual(pushed);
      expect(ending.pushedSha).toBe(pushed.length === 0 ? undefined : ending.headSha);
    },
  );

  it('that succeeded fails if its work is refused, and a later execution pushes it', async () => {
    const server = await startGitServer(PASSWORD);
    const { executor, clone } = await openMachine(server, TWO_TURNS);
    server.refuse('No pushes on Sundays.');
    const { events, report } = makeReport();
    const ending = await executor.execute(claimRun(), report);
    expect(ending).toMatchObject({
      status: 'failed',
      error: { code: 'push_rejected', reason: 'refused_by_remote' },
      valueText: '{"answer":42}',
      headSha: git(clone, 'rev-parse', BRANCH),
    });
    expect(ending).not.toHaveProperty('pushedSha');
    expect(events).toContainEqual({ type: 'warning', message: expect.stringContaining('Sundays') });

    server.mode = 'gone';
    const earlier = { phase: 'settled', baseSha: git(server.path, 'rev-parse', 'main') } as const;
    const tries = server.authorizations.length;
    const again = claimRun({ execution: 2, earlier });
    const gone = await executor.execute(again, makeReport().report);
    expect(gone).toMatchObject({ error: { code: 'repository_failed', reason: 'push_failed' } });
    expect(server.authorizations.length - tries).toBe(5);
    server.mode = 'hangs';
    // The worker closes.
    const { stop, report: leaving } = makeReport();
    setTimeout(() => stop.abort('leaving'), 500);
    await expect(executor.execute(again, leaving)).resolves.toMatchObject({ status: 'stopped' });
    server.mode = 'up';
    execFileSync('rm', [join(server.path, 'hooks', 'pre-receive')]);
    const whole = await executor.execute(again, makeReport().report);
    expect(whole).toMatchObject({ status: 'succeeded', pushedSha: ending.headSha });
    expect(server.subjects(BRANCH)).toEqual(['start', 'half', 'start again', 'rest']);
  });

  it('is not pushed with a secret of the worker, also if a later commit removes it', async () => {
    const server = await startGitServer(PASSWORD);
    const secret = 'correct-horse-battery-9';
    const leak = `echo "$DEPLOY" > conf.txt; git add conf.txt; git commit -q -m leak; git rm -q conf.txt; git commit -q -m undo`;
    const { executor, clone } = await openMachine(server, [begin, leak, ...TWO_TURNS.slice(1)]);
    mkdirSync(join(clone, '.truecast'), { recursive: true });
    writeFileSync(join(clone, '.truecast', '.env'), `DEPLOY=${secret}\n`);
    const { notes, events, report } = makeReport();
    const ending = await executor.execute(claimRun(), report);
    expect(ending).toMatchObject({
      status: 'failed',
      error: {
        code: 'push_rejected',
        reason: 'secret_in_commits',
        detail: expect.stringContaining('`conf.txt`') as unknown,
      },
    });
    expect(server.subjects(BRANCH)).toEqual([]);
    expect(JSON.stringify([ending, notes, events])).not.toContain(secret);
    expect(notes.flatMap(({ pushedSha }) => pushedSha ?? [])).toEqual([]);
  });

  itWhole('that fails or is canceled is pushed, and keeps its own ending', async () => {
    const server = await startGitServer(PASSWORD);
    const waits = [begin, session, commit('half'), say('I wait.'), 'sleep 600'];
    const { executor } = await openMachine(server, waits);
    const { stop, report } = makeReport();
    const tell: typeof report.event = ({ type }) => {
      if (type === 'text') stop.abort('canceled');
    };
    const canceled = await executor.execute(claimRun(), { ...report, event: tell });
    expect(canceled).toMatchObject({ status: 'stopped', pushedSha: canceled.headSha });
    expect(server.subjects(BRANCH)).toEqual(['start', 'half']);

    // A commit with the content and the second of another branch's commit would be that commit.
    const other = await openMachine(server, ['cat > /dev/null', commit('own'), commit('half'), 'exit 3']);
    const second = claimRun({ id: 'run-2', branch: 'truecast/runs/run-2' });
    const failed = await other.executor.execute(second, makeReport().report);
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'agent_failed' },
      pushedSha: failed.headSha,
    });
    expect(server.subjects('truecast/runs/run-2')).toEqual(['own', 'half']);
  });

  it('is fenced by git while its worker cannot reach the database', async () => {
    const server = await startGitServer(PASSWORD);
    const untilPushed = 'while [ ! -e go ]; do sleep 0.1; done; rm go';
    const { executor, clone } = await openMachine(server, TWO_TURNS.toSpliced(-2, 0, untilPushed));
    const { report, events } = makeReport(async ({ pushedSha, phase }) => {
      if (phase === 'working') return;
      // Another worker continues from the first push.
      if (pushedSha !== undefined) {
        server.commit(BRANCH, 'of the next worker');
        writeFileSync(join(worktreeOf(clone, BRANCH), 'go'), '');
      }
      throw new StoreError('The database is away.', { code: 'connection-lost' });
    });
    const ending = await executor.execute(claimRun(), report);
    expect(ending).toMatchObject({
      status: 'failed',
      error: { code: 'push_rejected', reason: 'branch_moved' },
    });
    expect(server.subjects(BRANCH)).toEqual(['start', 'half', 'of the next worker']);
    expect(git(clone, 'log', '-1', '--format=%s', BRANCH)).toBe('rest');
    expect(events.filter(({ type }) => type === 'warning')).toHaveLength(1);
  });

  itWhole('continues on another machine from its pushed branch', async () => {
    const server = await startGitServer(PASSWORD);
    const [answered, waits] = [answer('wrong'), `${say('I wait.')}; sleep 600`];
    const turns = [begin, session, storeSession, commit('half'), `[ -z "$again" ] && { ${answered}; exit; }`];
    const first = await openMachine(server, [...turns, waits]);
    const { notes, events, report, stop } = makeReport();
    const ended = first.executor.execute(claimRun(), report);
    await expect.poll(() => JSON.stringify(events), { timeout: 60_000 }).toContain('I wait.');
    const isPushed = (): boolean => notes.some(({ pushedSha }) => pushedSha !== undefined);
    await expect.poll(isPushed, { timeout: 60_000 }).toBe(true);
    // A machine that is lost stores nothing more.
    const stored = [...notes];
    stop.abort('superseded');
    await ended;

    const second = await openMachine(server, [begin, session, commit('rest'), answer(42)]);
    const { baseSha, headSha, sessionId, pushedSha } = Object.assign({}, ...stored) as RunNote;
    const blobs = stored.flatMap(({ blobs: added = [] }) => added);
    const earlier = view<EarlierExecution>({ phase: 'working', baseSha, headSha, sessionId, pushedSha });
    const ending = await second.executor.execute(claimRun({ execution: 2, earlier }), {
      ...makeReport().report,
      readBlob: async (name) => blobs.findLast((blob) => blob.name === name),
    });
    expect(ending).toMatchObject({ status: 'succeeded', valueText: '{"answer":42}' });
    expect(server.subjects(BRANCH)).toEqual(['start', 'half', 'start again', 'rest']);
    expect(ending.commits).toHaveLength(4);
  });

  it('whose worker leaves in a turn continues on another machine in the same session', async () => {
    const server = await startGitServer(PASSWORD);
    const waits = `${say('I wait.')}; sleep 600`;
    const limits = { leaveMs: LIMITS.pushMs };
    const first = await openMachine(server, [begin, session, storeSession, commit('half'), waits], {
      limits,
    });
    const { notes, report, stop } = makeReport();
    const tell: typeof report.event = ({ type }) => {
      if (type === 'text') stop.abort('leaving');
    };
    const left = await first.executor.execute(claimRun(), { ...report, event: tell });
    expect(left).toMatchObject({ status: 'stopped', pushedSha: left.headSha });
    const { baseSha, sessionId } = Object.assign({}, ...notes) as RunNote;
    const { headSha, pushedSha } = left;
    const blobs = notes.flatMap(({ blobs: added = [] }) => added);

    const second = await openMachine(server, [begin, session, commit('rest'), answer(42)]);
    const earlier = view<EarlierExecution>({ phase: 'working', baseSha, headSha, sessionId, pushedSha });
    const ending = await second.executor.execute(claimRun({ execution: 2, earlier }), {
      ...makeReport().report,
      readBlob: async (name) => blobs.findLast((blob) => blob.name === name),
    });
    expect(ending).toMatchObject({ status: 'succeeded', valueText: '{"answer":42}' });
    expect(server.subjects(BRANCH)).toEqual(['start', 'half', 'start again', 'rest']);
  });

  itWhole('that starts again on another machine leaves the first branch where it was', async () => {
    const server = await startGitServer(PASSWORD);
    const turns = [
      begin,
      session,
      storeSession,
      commit('half'),
      `[ -z "$again" ] && { ${answer('wrong')}; exit; }`,
    ];
    const first = await openMachine(server, [...turns, `${say('I wait.')}; sleep 600`]);
    const lost = makeReport();
    const ended = first.executor.execute(claimRun(), lost.report);
    await expect.poll(() => JSON.stringify(lost.events), { timeout: 60_000 }).toContain('I wait.');
    await expect.poll(() => server.subjects(BRANCH), { timeout: 30_000 }).toContain('half');
    const stored = [...lost.notes];
    lost.stop.abort('superseded');
    await ended;
    const { baseSha, headSha, sessionId, pushedSha } = Object.assign({}, ...stored) as RunNote;
    // Such as a session above the limit of a blob.
    const blobs = stored.flatMap(({ blobs: added = [] }) => added.filter(({ name }) => name !== 'session'));
    const firstTip = git(server.path, 'rev-parse', BRANCH);

    const second = await openMachine(server, [begin, commit('own'), answer(42)]);
    const earlier = view<EarlierExecution>({ phase: 'working', baseSha, headSha, sessionId, pushedSha });
    const { notes, report } = makeReport();
    const ending = await second.executor.execute(claimRun({ execution: 2, earlier }), {
      ...report,
      readBlob: async (name) => blobs.findLast((blob) => blob.name === name),
    });
    expect(ending).toMatchObject({
      status: 'succeeded',
      branch: `${BRANCH}-2`,
      earlierBranches: [BRANCH],
      pushedSha: ending.headSha,
    });
    expect(git(server.path, 'rev-parse', BRANCH)).toBe(firstTip);
    expect(server.subjects(`${BRANCH}-2`)).toEqual(['start', 'own']);
    // The row has the branch before the agent starts, so that a third machine fetches it.
    expect(notes[0]).toMatchObject({ phase: 'working', branch: `${BRANCH}-2` });
  });

  it('pushes nothing after a question or a refusal, and keeps the commits', async () => {
    const server = await startGitServer(PASSWORD);
    const outcomes = [{ question: { text: 'Which?' } }, { declined: 'It must not be done.' }];
    for (const [index, value] of matrixCases(1, outcomes).entries()) {
      const branch = `truecast/runs/run-${index}`;
      // The first answer is wrong, so a turn ends before the outcome is known.
      const wrong = `[ -n "$again" ] || { ${answer('wrong')}; exit; }`;
      const asks = printResult({ structured_output: { value } });
      const script = [begin, session, storeSession, commit('half'), wrong, asks];
      const { executor, clone } = await openMachine(server, script);
      const claimed = claimRun({ ...asked({ response_format }), id: `run-${index}`, branch });
      const ending = await executor.execute(claimed, makeReport().report);
      expect(ending).toMatchObject({ status: 'succeeded', valueText: JSON.stringify({ value }) });
      expect(server.subjects(branch)).toEqual([]);
      expect(ending).not.toHaveProperty('pushedSha');
      expect(git(clone, 'rev-parse', branch)).toBe(ending.headSha);
    }
  });

  itWhole('pushes an answer whose format has a question and a refusal', async () => {
    const server = await startGitServer(PASSWORD);
    const script = [
      begin,
      commit('whole'),
      printResult({ structured_output: { value: { answer: { answer: 1 } } } }),
    ];
    const { executor } = await openMachine(server, script);
    const ending = await executor.execute(claimRun(asked({ response_format })), makeReport().report);
    expect(ending).toMatchObject({ status: 'succeeded', pushedSha: ending.headSha });
    expect(server.subjects(BRANCH)).toEqual(['start', 'whole']);
  });

  itWhole('begins at a branch of the remote, and names what is missing', async () => {
    const server = await startGitServer(PASSWORD);
    server.commit('release', 'of the release');
    const { executor } = await openMachine(server, [begin, answer(42)]);
    const ending = await executor.execute(claimRun(asked({ ref: 'release' })), makeReport().report);
    expect(ending.status).toBe('succeeded');
    expect(server.subjects(BRANCH)).toEqual(['of the release', 'start']);

    const missing = claimRun({ ...asked({ ref: 'missing' }), id: 'run-2', branch: 'b2' });
    await expect(executor.execute(missing, makeReport().report)).resolves.toMatchObject({
      status: 'failed',
      error: { code: 'configuration_error', reason: 'invalid_branch' },
    });
    for (const [mode, reason] of [
      ['gone', 'git_failed'],
      ['hangs', 'timeout'],
    ] as const) {
      const { executor: fresh } = await openMachine(server, [begin, answer(42)], {
        limits: { fetchMs: 1_000 },
      });
      server.mode = mode;
      await expect(fresh.execute(claimRun(), makeReport().report)).resolves.toMatchObject({
        status: 'failed',
        error: { code: 'repository_failed', reason },
      });
    }
  });
});

it('refuses a credential that is not set', async () => {
  const url = 'https://git.invalid/team/api.git';
  const repositories = { api: { url, credential: { env: 'MISSING_TOKEN' } } };
  const runs = { agents: ['claude-code'], sandbox: 'bubblewrap' } as const;
  const opened = openExecutor({ repositories, runs }, { environment: {}, folder: temporaryFolder() });
  await expect(opened).rejects.toThrow('Expected the environment variable `MISSING_TOKEN`');
});

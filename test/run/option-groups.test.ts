/** Groups of options: their number, the places of old names, and the flat form of the ported entry. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import * as ported from '../../packages/truecast/src/exports/sandcastle.ts';
import * as truecast from '../../packages/truecast/src/index.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { MOVED_OPTIONS } from '../../packages/truecast/src/run/options/renamed-options.ts';
import { RUN_OPTIONS } from '../../packages/truecast/src/run/options/run-option-names.ts';
import { FLAT_OPTIONS, type FlatRunOptions } from '../../packages/truecast/src/sandcastle/flat-options.ts';
import { toGroups } from '../../packages/truecast/src/sandcastle/to-groups.ts';
import { makeRepository } from './fixture.ts';

const agent = command({ command: 'true' });
const sandbox = truecast.noSandbox();

async function refusalOf(call: () => unknown): Promise<string> {
  const error: unknown = await Promise.resolve()
    .then(call)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  return error instanceof Error ? error.message : '';
}

it('run() has at most 29 options', () => {
  expect(Object.keys(RUN_OPTIONS).length).toBeLessThanOrEqual(29);
});

describe('an option by its old name', () => {
  it.each(Object.entries(MOVED_OPTIONS))('`%s` of run() leads to its new place', async (name, place) => {
    const options = { agent, sandbox, cwd: '/proc', prompt: 'x', [name]: 1 };
    expect(await refusalOf(() => truecast.run(options))).toContain(`got \`${name}\`. Write \`${place}\`.`);
    expect(Object.keys(RUN_OPTIONS)).not.toContain(name);
  });

  it.each([
    ['runBatch()', () => truecast.runBatch({ agent, sandbox, inputs: [], prompt: 'x', ...OLD })],
    ['createSandbox()', () => truecast.createSandbox({ branch: 'b', sandbox, ...OLD })],
    [
      'createWorktree()',
      () => truecast.createWorktree({ branchStrategy: { type: 'merge-to-head' }, ...OLD }),
    ],
    ['interactive()', () => truecast.interactive({ agent, ...OLD })],
  ])('leads to its new place in %s', async (_of, call) => {
    expect(await refusalOf(call)).toContain('Write `policies: { sensitiveChanges }`.');
  });
});

const OLD = { sensitiveChanges: 'warn' } as object;

describe('a group of a place', () => {
  it.each([
    ['a policy of runs', { policies: { secretsInCommits: 'warn' } }, '`policies` of a place'],
    ['a time limit of runs', { timeouts: { idleMs: 5 } }, '`timeouts` of a place'],
  ])('has not %s', async (_title, group: object, told) => {
    const cwd = makeRepository();
    const place = { cwd, sandbox, agent, ...group };
    expect(await refusalOf(() => truecast.interactive(place))).toContain(told);
    const { agent: _agent, ...kept } = place;
    expect(await refusalOf(() => truecast.createSandbox({ branch: 'b', ...kept }))).toContain(told);
  });
});

it('a member of a group can be changed for a continued session, and the others stay', async () => {
  const seen: (string | undefined)[] = [];
  const sessions: AgentProvider = {
    ...command({ command: 'true', parse: () => [{ type: 'session', sessionId: 's1' }] }),
    sessionStorage: {
      isKeptByAgent: true,
      captureToHost: () => Promise.resolve(undefined),
      resumeIntoSandbox: () => Promise.resolve(),
      readHostSession: () => Promise.resolve(undefined),
      existsOnHost: () => Promise.resolve(true),
      hostSessionFilePath: () => undefined,
      findByIdOnHost: () => Promise.resolve({ path: 'session', searchedRoot: '/' }),
    },
    buildPrintCommand({ resumeSession }) {
      seen.push(resumeSession);
      return { command: resumeSession === undefined ? 'echo hi' : 'sleep 30' };
    },
  };
  const cwd = makeRepository();
  const logging = { type: 'file' } as const;
  const first = await truecast.run({
    agent: sessions,
    sandbox,
    cwd,
    prompt: 'x',
    logging,
    timeouts: { idleMs: 500 },
  });
  const next = first.resume?.('again', { timeouts: { completionMs: 5_000 } });
  await expect(next).rejects.toMatchObject({ code: 'idle-timeout', elapsedMs: 500 });
  expect(seen).toEqual([undefined, 's1']);
});

describe('the ported entry', () => {
  it('has each old name, in seconds and without groups', () => {
    const { maxCorrections: _ofOutput, ...moved } = MOVED_OPTIONS;
    expect(Object.keys(moved).filter((name) => !Object.hasOwn(FLAT_OPTIONS, name))).toEqual([]);
    const flat: Partial<FlatRunOptions> = {
      idleTimeoutSeconds: 1.5,
      completionTimeoutSeconds: 2,
      timeoutSeconds: 3,
      maxLimitWaitSeconds: 4,
      timeouts: { gitSetupMs: 5 },
      onLimit: 'wait',
      secretsInOutput: 'error',
      secretsInCommits: 'warn',
      sensitiveChanges: 'warn',
      resumeSession: 's1',
      forkSession: true,
      budget: { tokens: 6 },
      prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 2 },
      logging: { type: 'file', path: '/log' },
      record: '/record',
      runs: { keep: 7 },
      limits: { sessionBytes: 8, logBytes: 9, recordingBytes: 10 },
      branchStrategy: { type: 'head' },
      editablePaths: ['.vscode/'],
    };
    expect(toGroups(flat)).toEqual({
      timeouts: { gitSetupMs: 5, idleMs: 1_500, completionMs: 2_000, runMs: 3_000, limitWaitMs: 4_000 },
      policies: {
        onLimit: 'wait',
        secretsInOutput: 'error',
        secretsInCommits: 'warn',
        sensitiveChanges: 'warn',
      },
      session: { resume: 's1', fork: true, maxBytes: 8 },
      budget: { tokens: 6, prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 2 } },
      logging: {
        type: 'file',
        path: '/log',
        record: '/record',
        keepRuns: 7,
        maxBytes: 9,
        maxRecordBytes: 10,
      },
      branchStrategy: { type: 'head', editablePaths: ['.vscode/'] },
    });
  });

  it('names its own options in errors', async () => {
    const options = { agent, sandbox, cwd: makeRepository(), prompt: 'x' };
    const wrong = { ...options, idleTimeoutSeconds: '5m' as unknown as number };
    expect(await refusalOf(() => ported.run(wrong))).toContain(
      '`idleTimeoutSeconds` to be a positive number',
    );
    expect(await refusalOf(() => ported.run({ ...options, resumeSession: 's' }))).toContain(
      '`resumeSession`',
    );
    expect(await refusalOf(() => ported.run({ ...options, policies: {} } as typeof options))).toContain(
      '`policies`',
    );
    const hung = { ...options, agent: command({ command: 'sleep 30' }), idleTimeoutSeconds: 0.3 };
    await expect(ported.run(hung)).rejects.toThrow('raise `idleTimeoutSeconds`');
  });

  it('takes flat options in kept places', async () => {
    const cwd = makeRepository();
    await using kept = await ported.createSandbox({
      cwd,
      branch: 'kept',
      sandbox,
      sensitiveChanges: 'warn',
    });
    const hung = { agent: command({ command: 'sleep 30' }), prompt: 'x', idleTimeoutSeconds: 0.3 };
    await expect(kept.run(hung)).rejects.toMatchObject({ code: 'idle-timeout' });
    await using worktree = await ported.createWorktree({
      cwd,
      branchStrategy: { type: 'branch', branch: 'w' },
    });
    await expect(worktree.run({ ...hung, sandbox })).rejects.toMatchObject({ code: 'idle-timeout' });
    await using inside = await worktree.createSandbox({ sandbox });
    await expect(inside.run(hung)).rejects.toMatchObject({ code: 'idle-timeout' });
  });
});

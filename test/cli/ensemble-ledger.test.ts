/** Tests of `truecast ensemble` with stored runs: replayed, resumed and reported, as processes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import type { LedgerEvent } from '../../packages/ensemble/src/ledger/ledger-event.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { postgresIsMissing } from '../postgres.ts';
import { openTestDatabases } from '../shared-postgres.ts';
import { MAIN, temporaryFolder } from './cli-fixture.ts';
import { answerObediently, ensemble, writeFolder, SMALL } from './ensemble-fixture.ts';
import { describeUnless } from '../needs.ts';

/** The run id printed on stderr. */
function runIdIn(stderr: string): string {
  return /^Run (\S+)$/mu.exec(stderr)?.[1] ?? '';
}

/** Only the view, without the lines that name the run and its model. */
function viewIn(stderr: string): string {
  return stderr.split('\n').slice(2).join('\n');
}

describe('truecast ensemble replay', () => {
  it('prints the same as the run did', async () => {
    const folder = temporaryFolder();
    const run = await ensemble(folder, ['run', 'forged-portrait']);
    const replay = await ensemble(folder, ['replay', runIdIn(run.stderr)]);
    expect(replay.exitCode).toBe(0);
    expect(replay.stdout).toBe(run.stdout);
    expect(replay.stderr).toBe(viewIn(run.stderr));
  });

  it('prints the same events, and the run by its ledger alone where the manifests have gone', async () => {
    const folder = temporaryFolder();
    writeFolder(folder, SMALL);
    const database = ['--database-url', join(folder, 'runs.sqlite')];
    const run = await ensemble(folder, ['run', 'duel', '--json', '--dir', 'ensembles', ...database]);
    expect(existsSync(join(folder, 'runs.sqlite'))).toBe(true);
    const elsewhere = temporaryFolder();
    const replay = await ensemble(elsewhere, ['replay', runIdIn(run.stderr), '--json', ...database]);
    expect(replay.stdout).toBe(run.stdout);
    expect(replay.stderr).toMatch(/^duel\n {2}Be the better liar\./u);
  });

  it('lists the runs where none is named', async () => {
    const folder = temporaryFolder();
    expect((await ensemble(folder, ['replay'])).stdout).toBe('This ledger has no runs.');
    const { stderr } = await ensemble(folder, ['run', 'museum-boat', '--seed', 'a flood']);
    const { stdout } = await ensemble(folder, ['replay']);
    expect(stdout).toContain(runIdIn(stderr));
    expect(stdout).toMatch(/museum-boat .*verdict .*a flood$/mu);
    const json = await ensemble(folder, ['replay', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject([{ runId: runIdIn(stderr), end: { reason: 'verdict' } }]);
  });

  it('of an unknown run reports how to list the runs', async () => {
    const { stderr, exitCode } = await ensemble(temporaryFolder(), ['replay', 'nope']);
    expect(stderr).toContain('This ledger has no run `nope`. List its runs with `truecast ensemble replay`');
    expect(exitCode).toBe(1);
  });
});

describeUnless(postgresIsMissing, 'runs on Postgres', () => {
  it('are played, listed, replayed and reported from any machine', async () => {
    const databases = await openTestDatabases();
    try {
      const database = ['--database-url', await databases.create()];
      const run = await ensemble(temporaryFolder(), ['run', 'museum-boat', '--quiet', ...database]);
      const elsewhere = temporaryFolder();
      const replay = await ensemble(elsewhere, ['replay', runIdIn(run.stderr), '--quiet', ...database]);
      expect(replay.stdout).toBe(run.stdout);
      expect(JSON.parse(run.stdout)).toMatchObject({ reason: 'verdict' });
      const report = await ensemble(elsewhere, ['report', '--min-first-try', '1', ...database]);
      expect(report.stdout).toMatch(/^hedda +stub +agent\.spoke +4 /mu);
      expect(report.exitCode).toBe(0);
    } finally {
      await databases.drop();
    }
  });
});

describe('a run that is interrupted', () => {
  it('exits with 130, prints how to continue, and reaches the same outcome when resumed', async () => {
    const folder = temporaryFolder();
    writeFolder(folder, SMALL);
    const reached = Promise.withResolvers<void>();
    let isSlow = true;
    await using server = await scriptedModelServer({
      script: (turn) => {
        if (turn.turnIndex === 2) reached.resolve();
        return turn.turnIndex >= 2 && isSlow
          ? reply.delay(3_600_000, reply.text('late'))
          : answerObediently(turn);
      },
    });
    const env = { HOME: folder, TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'slow-1' };
    const running = execa(process.execPath, [MAIN, 'ensemble', 'run', 'duel'], {
      cwd: folder,
      env,
      reject: false,
    });
    await reached.promise;
    running.kill('SIGINT');
    const cut = await running;
    const runId = runIdIn(cut.stderr);
    expect(cut.exitCode).toBe(130);
    expect(cut.stdout).toBe('');
    expect(cut.stderr).toMatch(
      new RegExp(`To continue: np.* truecast (?:-- )?ensemble run --resume ${runId}`, 'u'),
    );

    isSlow = false;
    const resumed = await ensemble(folder, ['run', '--resume', runId], env);
    expect({ exitCode: resumed.exitCode, failures: server.failures }).toEqual({ exitCode: 0, failures: [] });
    const whole = await ensemble(folder, ['run', 'duel'], env);
    expect(resumed.stdout).toBe(whole.stdout);
    // Messages from before the interruption are shown again, so that the view is complete.
    expect(resumed.stderr).toMatch(/^ada · first try/mu);
    const replay = await ensemble(folder, ['replay', runId, '--json', '--quiet']);
    const events = replay.stdout.split('\n').map((line) => JSON.parse(line) as LedgerEvent);
    expect(events.filter(({ kind }) => kind === 'run.started')).toHaveLength(1);
    expect(events.at(-1)?.kind).toBe('run.finished');
  });

  it('prints how to continue when the reader of its output is gone', async () => {
    const folder = temporaryFolder();
    // `true` has exited before the command writes.
    const line = `set -o pipefail; { sleep 0.5; '${process.execPath}' '${MAIN}' ensemble run museum-boat --json --quiet; } | true`;
    const env = { HOME: folder, TRUECAST_BASE_URL: '', TRUECAST_MODEL: '' };
    const { stderr, exitCode } = await execa('bash', ['-c', line], { cwd: folder, env, reject: false });
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(
      new RegExp(`To continue: np.* truecast (?:-- )?ensemble run --resume ${runIdIn(stderr)}`, 'u'),
    );
    expect(stderr).not.toContain('EPIPE');
  });

  it('takes no other scenario and no other seed when it is resumed', async () => {
    const folder = temporaryFolder();
    const { stderr } = await ensemble(folder, ['run', 'museum-boat', '--turns', '1', '--quiet']);
    const refused = await ensemble(folder, ['run', 'museum-boat', '--resume', runIdIn(stderr)]);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect((await ensemble(folder, ['run', '--resume', 'nope'])).stderr).toContain(
      'This ledger has no run `nope`',
    );
  });
});

describe('truecast ensemble report', () => {
  it('counts over all runs, and ends with 1 below the bar', async () => {
    const folder = temporaryFolder();
    writeFolder(folder, SMALL);
    await using server = await scriptedModelServer({
      script: (turn) =>
        turn.turnIndex === 0 ? reply.text('{"kind":"agent.spoke"}') : answerObediently(turn),
    });
    const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'tiny-1' };
    await ensemble(folder, ['run', 'duel', '--quiet'], env);
    await ensemble(folder, ['run', 'duel', '--quiet']);

    const met = await ensemble(folder, ['report', '--min-first-try', '0.5']);
    expect(met.exitCode).toBe(0);
    expect(met.stdout).toMatch(/^ada +tiny-1 +agent\.spoke +2 +50 % \(9–91\) +1 +0 /mu);
    expect(met.stdout).toMatch(/^ada +stub +agent\.spoke +2 +100 % \(34–100\) +0 +0 /mu);
    const missed = await ensemble(folder, ['report', '--min-first-try', '0.9', '--json']);
    expect(missed.exitCode).toBe(1);
    expect(missed.stderr).toBe(
      'Missed: ada tiny-1, agent.spoke: 50 % of 2 answers were valid on the first try; expected at least 90 %.',
    );
    expect(JSON.parse(missed.stdout)).toMatchObject({
      runs: 2,
      missed: [expect.stringContaining('ada tiny-1')],
    });
    const other = await ensemble(folder, ['report', '--scenario', 'museum-boat', '--min-first-try', '0.1']);
    expect(other.stderr).toContain('this ledger has no answers');
    expect(other.exitCode).toBe(1);
  });

  it('refuses an invalid limit, and an unknown run', async () => {
    const folder = temporaryFolder();
    expect((await ensemble(folder, ['report', '--min-first-try', '90'])).exitCode).toBe(2);
    expect((await ensemble(folder, ['report', 'nope'])).stderr).toContain('This ledger has no run `nope`');
  });
});

/** Variables of `.truecast/.env` that steer programs of the host, and a file that git could commit. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const STEERING = [
  'BASH_ENV',
  'GIT_EXTERNAL_DIFF',
  'HTTPS_PROXY',
  'LD_AUDIT',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'SSL_CERT_FILE',
  'https_proxy',
];
const PRINT = STEERING.map((name) => `echo "${name}=<$${name}>"`).join('; ');

/** Returns a repository with the file, ignored or not. */
function repositoryWith(lines: readonly string[], isIgnored = true): string {
  const cwd = makeRepository();
  mkdirSync(join(cwd, '.truecast'));
  writeFileSync(join(cwd, '.truecast/.env'), `${lines.join('\n')}\n`);
  writeFileSync(join(cwd, '.truecast/.gitignore'), isIgnored ? '.env\n' : 'worktrees\n');
  return cwd;
}

it('a program on the host gets no variable of the file that steers programs, and the run names each', async () => {
  const planted = temporaryFolder();
  writeFileSync(join(planted, 'steer.sh'), `touch ${planted}/steered`);
  const cwd = repositoryWith([
    ...STEERING.map((name) => `${name}=${planted}/steer.sh`),
    `PATH=${planted}`,
    'ENDPOINT_NAME=plain',
  ]);
  const result = await run(runOptions(`${PRINT}; echo "<$ENDPOINT_NAME>"; bash -c true`, { cwd }));
  for (const name of STEERING) expect(result.stdout).toContain(`${name}=<${process.env[name] ?? ''}>`);
  expect(result.stdout).toContain('<plain>');
  expect(existsSync(join(planted, 'steered'))).toBe(false);
  expect(result.warnings).toEqual([expect.stringMatching(/^env-file-host-variable: /u)]);
  for (const name of ['PATH', ...STEERING]) expect(result.warnings[0]).toContain(`\`${name}\``);
});

it('takes such a variable from the program, and an empty one of the file from the process', async () => {
  const cwd = repositoryWith(['PATH=']);
  const result = await run(
    runOptions('echo "<$NODE_OPTIONS> $PATH"', { cwd, env: { NODE_OPTIONS: '--max-old-space-size=99' } }),
  );
  expect(result.stdout).toContain(`<--max-old-space-size=99> ${process.env['PATH']}`);
  expect(result.warnings).toEqual([]);
});

it('warns of a file that git does not ignore, in runs and in sandboxes that are kept open', async () => {
  const warning = expect.stringMatching(/^env-file-not-ignored: .*`\.truecast\/\.env`/u);
  expect((await run(runOptions('true', { cwd: repositoryWith(['A=1'], false) }))).warnings).toEqual([
    warning,
  ]);
  expect((await run(runOptions('true', { cwd: repositoryWith(['A=1']) }))).warnings).toEqual([]);
});

describeInBubblewrap('in bubblewrap', () => {
  it('the agent continues the trace of the process, and logs show it', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    vi.stubEnv('TRACEPARENT', traceparent);
    vi.stubEnv('TRACESTATE', 'vendor=opaque');
    const options = runOptions('echo "$TRACEPARENT $TRACESTATE"', {
      cwd: makeRepository(),
      sandbox: bubblewrap({ egress: 'none' }),
    });
    const branch = { branchStrategy: { type: 'branch', branch: 'agent' } } as const;
    const result = await run({ ...options, ...branch });
    vi.unstubAllEnvs();
    expect(result.stdout).toContain(`${traceparent} vendor=opaque`);
    expect(readFileSync(result.logFilePath ?? '', 'utf8')).toContain(traceparent);
  });

  it('the sandbox gets these variables, and the host finds its programs without them', async () => {
    const planted = temporaryFolder();
    writeFileSync(join(planted, 'agent-program'), '#!/bin/sh\necho planted\n');
    chmodSync(join(planted, 'agent-program'), 0o755);
    const cwd = repositoryWith([
      ...STEERING.map((name) => `${name}=/inside/${name}`),
      `PATH=/usr/bin:/bin:${planted}`,
    ]);
    const options = runOptions(`${PRINT}; echo "PATH=$PATH"`, {
      cwd,
      sandbox: bubblewrap({ egress: 'none' }),
    });
    const branch = { branchStrategy: { type: 'branch', branch: 'agent' } } as const;
    const result = await run({ ...options, ...branch });
    for (const name of STEERING) expect(result.stdout).toContain(`${name}=</inside/${name}>`);
    expect(result.stdout).toContain(`PATH=/usr/bin:/bin:${planted}`);
    expect(result.warnings).toEqual([]);
    const agent = { ...options.agent, program: 'agent-program' };
    await expect(run({ ...options, ...branch, agent })).rejects.toThrow('is not on the PATH');
    const warnings: string[] = [];
    await using sandbox = await createSandbox({
      sandbox: bubblewrap({ egress: 'none' }),
      branch: 'other',
      cwd: repositoryWith(['A=1'], false),
      onWarning: (message) => warnings.push(message),
    });
    expect((await sandbox.exec('echo "<$A>"')).stdout).toContain('<1>');
    expect(warnings).toEqual([expect.stringMatching(/^env-file-not-ignored: /u)]);
  });
});

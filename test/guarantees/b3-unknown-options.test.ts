/** Tests of B3: mistyped options, also inside others. No agent, no model and no file may be touched. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/index.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { aiSdkProvider, createEnsemble } from '../../packages/ensemble/src/index.ts';
import { generate, openAICompatible } from '../../packages/model/src/index.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { writeFolder } from '../cli/ensemble-fixture.ts';
import { git, makeRepository } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { startService } from './hostile-service.ts';
import { AGENT_ROUTES, type SandboxName } from './routes/agent-routes.ts';
import { runCommand } from './routes/command.ts';
import { failureOf } from './routes/outcome.ts';
import { FORMAT, startServer } from './routes/server.ts';
import { refuseUnknownMember } from './routes/served-runs.ts';

/** Mistyped options of a run, and the suggestions. */
const OPTIONS = [
  [{ maxIteration: 2 }, 'maxIterations'],
  [{ timeouts: { gitSetup: 1 } }, 'gitSetupMs'],
  [{ hooks: { host: { onWorktreReady: [] } } }, 'onWorktreeReady'],
  [{ budget: { token: 1 } }, 'tokens'],
] as const;

function isOfPlace(options: object): boolean {
  return 'hooks' in options || 'timeouts' in options;
}

async function startNothing(
  route: 'run/none' | 'run/bubblewrap' | 'run/podman' | 'kept' | 'batch',
  sandbox: SandboxName,
): Promise<void> {
  // An open place keeps the hooks and timeouts with which it was opened.
  for (const [options, near] of OPTIONS.filter((each) => route !== 'kept' || !isOfPlace(each[0]))) {
    const repository = makeRepository();
    const outcome = await AGENT_ROUTES[route]({
      repository,
      script: 'touch started && git add -A && git commit -q -m started',
      sandbox,
      // As an untyped caller passes them.
      options: options as object,
    });
    expect(outcome.isAccepted).toBe(false);
    expect(outcome.message).toContain(`Did you mean \`${near}\`?`);
    expect(git(repository, 'log', '--all', '--oneline').split('\n')).toHaveLength(1);
  }
}

async function messageOf(call: () => unknown): Promise<string> {
  const refused: unknown = await Promise.resolve()
    .then(call)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  return failureOf(refused).message;
}

/** Calls of places with a mistyped option. */
async function openNoPlace(): Promise<void> {
  await startNothing('kept', 'none');
  const cwd = makeRepository();
  const mistyped = { cwd, timeouts: { gitSetup: 1 } } as object;
  const calls = [
    () => createSandbox({ ...mistyped, branch: 'work', sandbox: noSandbox() }),
    () => createWorktree({ ...mistyped, branchStrategy: { type: 'merge-to-head' } }),
  ];
  for (const call of calls) expect(await messageOf(call)).toContain('Did you mean `gitSetupMs`?');
  expect(existsSync(join(cwd, '.truecast'))).toBe(false);
}

async function mergeNothing(): Promise<void> {
  const cwd = makeRepository();
  git(cwd, 'branch', 'work');
  for (const [options, near] of [
    [{ checks: () => undefined }, 'check'],
    [{ timeouts: { gitSetup: 1 } }, 'gitSetupMs'],
    [{ policies: { secretsInCommit: 'warn' } }, 'secretsInCommits'],
  ] as const) {
    const merging = (): unknown => merge('work', { cwd, ...(options as object) });
    expect(await messageOf(merging)).toContain(`Did you mean \`${near}\`?`);
  }
  expect(existsSync(join(cwd, '.truecast'))).toBe(false);
}

async function askNoModel(): Promise<void> {
  await using service = await startService((_request, response) => void response.writeHead(500).end());
  const model = openAICompatible({ baseURL: service.url, model: 'm' });
  const asked = { model, prompt: 'x', output: Output.json({}) };
  const options = { ...asked, maxRetry: 1 } as never;
  expect(await messageOf(() => generate(options))).toContain('Did you mean `maxCorrections`?');
  const look = { inputSchema: z.object({}), execute: () => 1 };
  for (const [tools, said] of [
    [{ look: { ...look, timeoutMS: 1 } }, 'Did you mean `timeoutMs`?'],
    [{ look: { ...look, needsApproval: true } }, '`tools.look.needsApproval` is not supported'],
  ] as const) {
    expect(await messageOf(() => generate({ ...asked, tools } as never))).toContain(said);
  }
  expect(service.requests).toBe(0);
}

async function playNothing(): Promise<void> {
  const model = openAICompatible({ baseURL: 'http://127.0.0.1:2/v1', model: 'm' });
  expect(await messageOf(() => createEnsemble({ scenaro: {} } as never))).toContain(
    'Did you mean `scenario`?',
  );
  expect(await messageOf(() => aiSdkProvider(model, { temprature: 1 } as never))).toContain(
    'Did you mean `temperature`?',
  );
}

async function serveNothing(): Promise<void> {
  const mistyped = [
    [{ quota: {} }, 'quotas'],
    [{ quotas: { perOwners: {} } }, 'perOwner'],
  ] as const;
  for (const [options, near] of mistyped) {
    expect(await messageOf(() => startServer(options as object))).toContain(`Did you mean \`${near}\`?`);
  }
  const client = { baseURL: 'http://127.0.0.1:2', token: 'x', tokn: 'x' } as never;
  expect(await messageOf(() => createClient(client))).toContain('Did you mean `token`?');
}

async function takeNoFormat(): Promise<void> {
  await using service = await startService((_request, response) => void response.writeHead(500).end());
  await using server = await startServer({ serviceUrl: service.url });
  const { json_schema: format } = FORMAT;
  const { isAccepted, message } = await server.completion({
    response_format: { ...FORMAT, json_schema: { ...format, strct: true } },
  });
  expect([isAccepted, service.requests]).toEqual([false, 0]);
  expect(message).toContain('strct');
}

async function runNoCommand(): Promise<void> {
  const cwd = makeRepository();
  writeFolder(cwd, { 'truecast.config.ts': 'export default { modles: [] };\n' });
  for (const [args, near] of [
    [['run', 'x', '--schma', '{}'], '--schema'],
    [['serve', '--port', '0'], '`models`'],
  ] as const) {
    const { exitCode, message } = await runCommand({ cwd, args });
    expect([exitCode, message]).toEqual([2, expect.stringMatching(/Did you mean/iu)]);
    expect(message).toContain(near);
  }
  expect(existsSync(join(cwd, '.truecast'))).toBe(false);
}

declareGuarantee('B3', {
  runs: refuseUnknownMember,
  'run/none': () => startNothing('run/none', 'none'),
  'run/bubblewrap': () => startNothing('run/bubblewrap', 'bubblewrap'),
  'run/podman': () => startNothing('run/podman', 'podman'),
  kept: openNoPlace,
  batch: () => startNothing('batch', 'none'),
  merge: mergeNothing,
  generate: askNoModel,
  ensemble: playNothing,
  chat: serveNothing,
  wire: takeNoFormat,
  command: runNoCommand,
});

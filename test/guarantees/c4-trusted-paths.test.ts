/** Tests of C4: links of a repository that lead out of it, as mount, folder, file and project folder. */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { loadEnsemble } from '../../packages/ensemble/src/manifest/load-ensemble.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { SMALL, writeFolder } from '../cli/ensemble-fixture.ts';
import { commitLine, git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { AGENT_ROUTES, type SandboxName } from './routes/agent-routes.ts';
import { runCommand } from './routes/command.ts';
import { startServer } from './routes/server.ts';
import { refusePaths } from './routes/served-runs.ts';

const PRIVATE = 'private content of another folder';

interface Cloned {
  readonly repository: string;
  readonly outside: string;
}

/** A clone with a committed link to a folder outside of it. */
function cloneWithLink(name: string): Cloned {
  const outside = temporaryFolder();
  writeFileSync(join(outside, 'private'), PRIVATE);
  const repository = makeRepository();
  symlinkSync(outside, join(repository, name));
  git(repository, 'add', '-A');
  git(repository, 'commit', '-q', '-m', 'link');
  return { repository, outside };
}

const filesOf = (folder: string): readonly string[] => readdirSync(folder).toSorted();

async function mountNoLink(
  route: 'run/bubblewrap' | 'run/podman' | 'kept' | 'batch',
  sandbox: SandboxName,
): Promise<void> {
  const { repository, outside } = cloneWithLink('cache');
  const mounts = [{ hostPath: join(repository, 'cache'), sandboxPath: '/cache' }];
  const script = 'cat /cache/private; echo x > /cache/planted';
  const outcome = await AGENT_ROUTES[route]({ repository, script, mounts, sandbox });
  expect(outcome.isAccepted).toBe(false);
  expect(outcome.output).not.toContain(PRIVATE);
  expect(outcome.message).toContain('cache');
  expect(filesOf(outside)).toEqual(['private']);
}

async function stayInRepository(): Promise<void> {
  const other = makeRepository();
  const head = git(other, 'rev-parse', 'HEAD');
  const repository = makeRepository();
  symlinkSync(other, join(repository, 'part'));
  git(repository, 'add', '-A');
  git(repository, 'commit', '-q', '-m', 'link');
  const outcome = await AGENT_ROUTES['run/none']({
    repository,
    script: commitLine('evil'),
    strategy: 'merge-to-head',
    options: { cwd: join(repository, 'part') },
  });
  expect(outcome.isAccepted).toBe(false);
  expect(outcome.message).toContain('part');
  expect(git(other, 'rev-parse', 'HEAD')).toBe(head);
}

async function writeNoOutcome(): Promise<void> {
  const { repository, outside } = cloneWithLink('logs');
  await using server = await scriptedModelServer({ script: () => reply.json({ answer: 1 }) });
  await generate({
    model: openAICompatible({ baseURL: server.openaiUrl, model: 'm' }),
    prompt: 'How many?',
    output: Output.object({ schema: z.object({ answer: z.number() }) }),
    outcomes: join(repository, 'logs', 'outcomes.jsonl'),
  }).catch(() => undefined);
  expect(filesOf(outside)).toEqual(['private']);
}

async function readNoManifest(): Promise<void> {
  const outside = temporaryFolder();
  writeFolder(outside, SMALL);
  const folder = temporaryFolder();
  writeFolder(folder, SMALL);
  const name = join('ensembles', 'agents', 'dora.yaml');
  writeFolder(outside, { [name]: `name: dora\npersona: ${PRIVATE}\nmay_emit: [agent.spoke]\n` });
  symlinkSync(join(outside, name), join(folder, name));
  await expect(loadEnsemble(join(folder, 'ensembles'), { env: {} })).rejects.toThrow('dora.yaml');
}

async function openNoWorkspace(): Promise<void> {
  const { repository, outside } = cloneWithLink('.truecast');
  const workspace = { sandbox: 'none', folder: join(repository, '.truecast', 'workspaces') } as const;
  await using model = await scriptedModelServer({ script: () => reply.text('Done.') });
  const starting = startServer({ serviceUrl: model.openaiUrl, workspace });
  await expect(starting.then((server) => server[Symbol.asyncDispose]())).rejects.toThrow('.truecast');
  expect(filesOf(outside)).toEqual(['private']);
}

async function leaveTheOutsideAlone(): Promise<void> {
  const { repository, outside } = cloneWithLink('.truecast');
  const made = await runCommand({ cwd: repository, args: ['init', '--yes'] });
  expect(made.isAccepted).toBe(false);
  expect(filesOf(outside)).toEqual(['private']);

  const second = makeRepository();
  const target = temporaryFolder();
  mkdirSync(join(target, 'empty'));
  mkdirSync(join(second, '.truecast'));
  symlinkSync(target, join(second, '.truecast', 'worktrees'));
  git(second, 'add', '-A');
  git(second, 'commit', '-q', '-m', 'link');
  const cleaned = await runCommand({ cwd: second, args: ['clean', '--yes'] });
  expect(existsSync(join(target, 'empty'))).toBe(true);
  expect(cleaned.output).not.toContain(join(target, 'empty'));
}

declareGuarantee('C4', {
  runs: refusePaths,
  'run/none': stayInRepository,
  'run/bubblewrap': () => mountNoLink('run/bubblewrap', 'bubblewrap'),
  'run/podman': () => mountNoLink('run/podman', 'podman'),
  kept: inBubblewrap(() => mountNoLink('kept', 'bubblewrap')),
  batch: inBubblewrap(() => mountNoLink('batch', 'bubblewrap')),
  generate: writeNoOutcome,
  ensemble: readNoManifest,
  chat: openNoWorkspace,
  command: leaveTheOutsideAlone,
});

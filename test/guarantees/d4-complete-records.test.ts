/**
 * Tests of D4: recordings that end at their limit, outcomes that cannot be written, and a sandbox whose
 * `exec` returns its output without streaming it.
 */
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { createClaudeSessionStorage } from '../../packages/truecast/src/agents/claude-code/claude-session.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { createBindMountSandboxProvider } from '../../packages/truecast/src/sandboxes/shared/create-bind-mount-sandbox-provider.ts';
import { makeRepository, temporaryFolder } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';
import { storeSession } from './routes/served-runs.ts';

const SCRIPT = 'seq 1 20000';
const ID = '213b01b2-bdfb-4311-ae8c-278749623d07';
const SESSION = '{"type":"user"}';

async function warnAboutRecording(route: 'run/none' | 'run/bubblewrap' | 'run/podman'): Promise<void> {
  const record = join(temporaryFolder(), 'recording.jsonl');
  const options = { logging: { record, maxRecordBytes: 4_000 } };
  const outcome = await AGENT_ROUTES[route]({ repository: makeRepository(), script: SCRIPT, options });
  expect(outcome.isAccepted).toBe(true);
  expect(statSync(record).size).toBeLessThan(5_000);
  expect(outcome.warnings.join('\n')).toMatch(/recording/iu);
}

/** As a careless custom sandbox: `exec` never calls `onLine`. */
function silentSandbox(): SandboxProvider {
  return createBindMountSandboxProvider({
    name: 'silent',
    async create(options) {
      const handle = await noSandbox().create(options);
      return {
        worktreePath: handle.worktreePath,
        exec: (line, { cwd, stdin } = {}) =>
          handle.exec(line, { ...(cwd !== undefined && { cwd }), ...(stdin !== undefined && { stdin }) }),
        close: () => handle.close(),
      };
    },
  });
}

function sessionAgent(hostProjectsDir: string): AgentProvider {
  const script = `mkdir -p ~/.claude/projects/p; echo '${SESSION}' > ~/.claude/projects/p/${ID}.jsonl`;
  return {
    ...command({ command: ['sh', '-c', script] }),
    captureSessions: true,
    sessionStorage: createClaudeSessionStorage({ hostProjectsDir }, {}),
    createStreamParser: () => ({ push: () => [], end: () => [{ type: 'session', sessionId: ID }] }),
  };
}

async function storeNoEmptySession(route: 'kept' | 'batch'): Promise<void> {
  const projects = join(temporaryFolder(), 'projects');
  const env = { HOME: temporaryFolder() };
  const provider = silentSandbox();
  const agent = sessionAgent(projects);
  const outcome = await AGENT_ROUTES[route]({
    repository: makeRepository(),
    script: '',
    provider,
    agent,
    env,
  });
  const stored = existsSync(projects)
    ? readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'))
    : [];
  const sizes = stored.map((file) => statSync(join(projects, file)).size);
  const isComplete = sizes.length === 1 && sizes[0] === `${SESSION}\n`.length;
  expect(
    isComplete || (sizes.length === 0 && /session/iu.test([...outcome.warnings, outcome.message].join('\n'))),
  ).toBe(true);
}

async function warnAboutOutcome(): Promise<void> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  await using server = await scriptedModelServer({ script: () => reply.json({ answer: 1 }) });
  const warned = once(process, 'warning');
  const { output } = await generate({
    model: openAICompatible({ baseURL: server.openaiUrl, model: 'm' }),
    prompt: 'How many?',
    output: Output.object({ schema: z.object({ answer: z.number() }) }),
    outcomes: join(folder, 'file', 'outcomes.jsonl'),
  });
  expect(output).toEqual({ answer: 1 });
  expect(String((await warned)[0])).toContain('could not be recorded');
}

/** What a blob cannot hold is left out as a whole. */
async function leaveLargeSessionOut(): Promise<void> {
  const { events, names } = await storeSession(40 * 1024 * 1024);
  expect(names).toEqual([]);
  expect(events).toMatch(/"type":"warning".*session/u);
  expect((await storeSession(1024)).names).toEqual(['session']);
}

declareGuarantee('D4', {
  'run/none': () => warnAboutRecording('run/none'),
  'run/bubblewrap': () => warnAboutRecording('run/bubblewrap'),
  'run/podman': () => warnAboutRecording('run/podman'),
  kept: () => storeNoEmptySession('kept'),
  batch: () => storeNoEmptySession('batch'),
  generate: warnAboutOutcome,
  runs: leaveLargeSessionOut,
});

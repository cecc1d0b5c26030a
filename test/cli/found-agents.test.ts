/** Tests of the agents that `truecast doctor` and `truecast init` find on a machine. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ACP_AGENTS, MODEL_KEYS } from '../../packages/truecast/src/agents/registry/agents.ts';
import { makeRepository, temporaryFolder } from './cli-fixture.ts';
import { runCommand } from './run-command.ts';

const report = z.object({
  findings: z.array(
    z.object({ group: z.string(), name: z.string(), works: z.boolean(), detail: z.string() }),
  ),
});

/** Runs the command where the only agents are programs that print a version, or fail without one. */
async function found(
  args: readonly string[],
  programs: Readonly<Record<string, string | undefined>>,
  { env = {}, cwd = temporaryFolder() }: { env?: Readonly<Record<string, string>>; cwd?: string } = {},
): Promise<string> {
  const bin = temporaryFolder();
  mkdirSync(join(bin, 'home'));
  for (const [name, version] of Object.entries(programs)) {
    const body = version === undefined ? 'exit 1' : `[ "$*" = --version ] && echo '${version}'`;
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  }
  const unset = Object.fromEntries([...MODEL_KEYS, 'KIMI_API_KEY'].map((name) => [name, undefined]));
  const { stdout, stderr, exitCode } = await runCommand(args, {
    cwd,
    env: { ...unset, ...env, HOME: join(bin, 'home'), PATH: [bin, '/usr/bin', '/bin'].join(delimiter) },
  });
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

async function agentsOf(...given: Parameters<typeof found>) {
  const { findings } = report.parse(JSON.parse(await found(...given)));
  return new Map(findings.filter(({ group }) => group === 'agent').map((each) => [each.name, each]));
}

it('doctor names the version of each agent of the protocol, and what a run with it needs', async () => {
  const agents = await agentsOf(
    ['doctor', '--json'],
    { qwen: '0.24.4', 'codex-acp': '@agentclientprotocol/codex-acp 2.6.0', kimi: undefined },
    { env: { OPENAI_API_KEY: 'sk-x' } },
  );
  expect(agents.get('qwen-code')).toMatchObject({
    works: true,
    detail: expect.stringMatching(
      /^0\.24\.4; in a sandbox it has `OPENAI_API_KEY` only if `\.truecast\/\.env` names it; its hosts are unknown: pass `--egress allow=HOST,HOST`$/u,
    ),
  });
  expect(agents.get('codex-acp')?.detail).toMatch(
    /^@agentclientprotocol\/codex-acp 2\.6\.0; in a sandbox it has `OPENAI_API_KEY`.*reaches .*api\.openai\.com.* \(the default\)$/u,
  );
  expect(agents.get('kimi')).toMatchObject({
    works: true,
    detail: expect.stringMatching(
      /^does not respond to --version; none of KIMI_API_KEY in the environment; its hosts/u,
    ),
  });
});

it('doctor names each agent of the protocol that is missing, and how it is installed', async () => {
  const agents = await agentsOf(['doctor', '--json'], { qwen: '0.24.4' });
  for (const name of ['kimi', 'claude-acp', 'codex-acp'] as const) {
    expect(agents.get(name)).toMatchObject({
      works: false,
      detail: expect.stringMatching(
        new RegExp(`is not on the PATH; install it: npm install -g ${ACP_AGENTS[name].npm.name}$`, 'u'),
      ),
    });
  }
  const listed = await found(['doctor', '--all'], {});
  expect(listed).toContain('@moonshot-ai/kimi-code');
  expect(listed).not.toContain(' more: ');
  expect(await found(['doctor'], {})).not.toContain('@moonshot-ai/kimi-code');
});

it('init sets up the only agent that is installed, with its key', async () => {
  const cwd = makeRepository();
  await found(['init', '--yes', '--sandbox', 'none'], { qwen: '0.24.4' }, { cwd });
  expect(readFileSync(join(cwd, '.truecast/agent.mts'), 'utf8')).toContain("acp({ preset: 'qwen-code' })");
  expect(readFileSync(join(cwd, '.truecast/.env.example'), 'utf8')).toContain('# OPENAI_API_KEY=');
});

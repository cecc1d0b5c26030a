import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeInBubblewrap } from '../../../../../test/describe-in-bubblewrap.ts';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { acp } from '../../agents/acp/acp.ts';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import { claudeCode } from '../../agents/claude-code/claude-code.ts';
import { codex } from '../../agents/codex/codex.ts';
import { command } from '../../agents/command.ts';
import { copilot } from '../../agents/copilot/copilot.ts';
import { cursor } from '../../agents/cursor/cursor.ts';
import { geminiCli } from '../../agents/gemini-cli/gemini-cli.ts';
import { opencode } from '../../agents/opencode/opencode.ts';
import { pi } from '../../agents/pi/pi.ts';
import { AGENTS } from '../../agents/registry/agents.ts';
import { assertDecidedFor, decideEgress } from './decide-egress.ts';
import { bubblewrap } from '../../sandboxes/bubblewrap.ts';
import { createBindMountSandboxProvider } from '../../sandboxes/shared/create-bind-mount-sandbox-provider.ts';
import { docker } from '../../sandboxes/docker.ts';
import { parseAllowRules } from '../../ports/allow-rules.ts';
import { noSandbox } from '../../sandboxes/no-sandbox.ts';
import { podman } from '../../sandboxes/podman.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';

const KEY = 'sk-a-key-for-tests';

interface Program {
  readonly title: string;
  readonly agent: AgentProvider;
  readonly sandbox: SandboxProvider;
  /** Variable that contains the key. A stored login has no variable. */
  readonly keyName: string;
  /**
   * One of the hosts that the login needs. Undefined if no policy is decided; `refused` with the
   * line to add.
   */
  readonly login: string | undefined;
  /** Policy with a key. If absent, only the model. */
  readonly key?: 'allow' | 'refused' | undefined;
}

/**
 * Programs as users of another runner write them: an agent and a sandbox, without a network option.
 */
const PROGRAMS: readonly Program[] = [
  {
    title: "claudeCode('claude-opus-4-8') in docker()",
    agent: claudeCode('claude-opus-4-8'),
    sandbox: docker(),
    keyName: 'ANTHROPIC_API_KEY',
    login: 'platform.claude.com',
  },
  {
    title: 'claudeCode() in podman()',
    agent: claudeCode(),
    sandbox: podman({ imageName: 'sandcastle:local' }),
    keyName: 'CLAUDE_CODE_OAUTH_TOKEN',
    login: 'api.anthropic.com',
  },
  {
    title: 'claudeCode() in bubblewrap()',
    agent: claudeCode(),
    sandbox: bubblewrap(),
    keyName: 'ANTHROPIC_API_KEY',
    login: 'api.anthropic.com',
  },
  {
    title: "codex('gpt-5.4') in docker()",
    agent: codex('gpt-5.4'),
    sandbox: docker(),
    keyName: 'OPENAI_API_KEY',
    login: 'chatgpt.com',
  },
  {
    title: 'codex() in bubblewrap()',
    agent: codex(),
    sandbox: bubblewrap(),
    keyName: 'CODEX_API_KEY',
    login: 'auth.openai.com',
  },
  {
    title: "pi('claude-sonnet-4-6') in docker()",
    agent: pi('claude-sonnet-4-6'),
    sandbox: docker(),
    keyName: 'ANTHROPIC_API_KEY',
    login: 'api.anthropic.com',
    key: 'allow',
  },
  {
    title: "pi('anthropic/claude-sonnet-4-6') in podman()",
    agent: pi('anthropic/claude-sonnet-4-6'),
    sandbox: podman(),
    keyName: 'ANTHROPIC_API_KEY',
    login: 'platform.claude.com',
  },
  {
    title: "opencode('opencode/big-pickle') in docker()",
    agent: opencode('opencode/big-pickle'),
    sandbox: docker(),
    keyName: 'OPENCODE_API_KEY',
    login: 'opencode.ai',
    key: 'allow',
  },
  {
    title: 'geminiCli() in podman()',
    agent: geminiCli(),
    sandbox: podman(),
    keyName: 'GEMINI_API_KEY',
    login: 'cloudcode-pa.googleapis.com',
  },
  {
    title: 'claudeCode() in noSandbox()',
    agent: claudeCode(),
    sandbox: noSandbox(),
    keyName: 'ANTHROPIC_API_KEY',
    login: undefined,
    key: undefined,
  },
  {
    title: 'opencode() in docker()',
    agent: opencode(),
    sandbox: docker(),
    keyName: 'ANTHROPIC_API_KEY',
    login: 'refused',
    key: 'refused',
  },
  {
    title: 'cursor() in docker()',
    agent: cursor(),
    sandbox: docker(),
    keyName: 'CURSOR_API_KEY',
    login: 'cursor.com',
    key: 'allow',
  },
  {
    title: 'copilot() in bubblewrap()',
    agent: copilot(),
    sandbox: bubblewrap(),
    keyName: 'COPILOT_GITHUB_TOKEN',
    login: 'api.github.com',
    key: 'allow',
  },
];

describe.each(PROGRAMS)('$title', (program) => {
  const { agent, sandbox, keyName, login } = program;

  it('is decided with a key', () => {
    const expected = 'key' in program ? program.key : 'model';
    const env = { [keyName]: KEY };
    if (expected === 'refused') {
      expect(() => decideEgress([agent], sandbox, env)).toThrow('egress');
      return;
    }
    const { egress, modelAccess } = decideEgress([agent], sandbox, env);
    if (expected === 'model') {
      expect(egress).toBe('model');
      expect(Object.values(modelAccess?.headers ?? {}).join(' ')).toContain(KEY);
    } else if (expected === undefined) expect(egress).toBeUndefined();
    else expect(egress).toMatchObject({ allow: expect.arrayContaining([login]) });
  });

  it('is decided with a stored login', () => {
    if (login === 'refused') {
      expect(() => decideEgress([agent], sandbox, {})).toThrow(
        `${sandbox.name}({ egress: { allow: ['api.example.com'] } })`,
      );
      return;
    }
    const { egress, modelAccess } = decideEgress([agent], sandbox, {});
    expect(modelAccess).toBeUndefined();
    if (login === undefined) expect(egress).toBeUndefined();
    else {
      expect(egress).toMatchObject({ allow: expect.arrayContaining([login]) });
      if (typeof egress === 'object') expect(parseAllowRules(egress.allow)).toHaveLength(egress.allow.length);
    }
  });
});

describe.each(Object.entries(AGENTS))('the default of %s', (_name, { make, keys }) => {
  it('is closed, with each of its keys and with a stored login', () => {
    for (const env of [{}, ...keys.map((key) => ({ [key]: KEY }))]) {
      const policies = [bubblewrap(), docker(), podman()].map((sandbox) =>
        closedPolicy(make(), sandbox, env),
      );
      expect(new Set(policies).size).toBe(1);
      expect(['model', 'a list', 'refused']).toContain(policies[0]);
    }
  });
});

function closedPolicy(
  agent: AgentProvider,
  sandbox: SandboxProvider,
  env: Readonly<Record<string, string>>,
): unknown {
  try {
    const { egress } = decideEgress([agent], sandbox, env);
    return typeof egress === 'object' ? 'a list' : egress;
  } catch (error) {
    return UsageError.isInstance(error) ? 'refused' : error;
  }
}

describe('the default of a sandbox', () => {
  it.each([
    ['command()', command({ command: ['my-agent'] })],
    ['acp()', acp({ command: ['gemini', '--acp'] })],
  ])('refuses %s, whose hosts are unknown, and names each line to add', (_title, agent) => {
    const decide = (): unknown => decideEgress([agent], bubblewrap(), { ANTHROPIC_API_KEY: KEY });
    expect(decide).toThrow(UsageError);
    for (const line of [
      "bubblewrap({ egress: { allow: ['api.example.com'] } })",
      "egress: 'none'",
      "egress: 'host'",
      '--egress allow=api.example.com',
    ]) {
      expect(decide).toThrow(line);
    }
    for (const egress of ['none', 'host'] as const) {
      expect(decideEgress([agent], bubblewrap({ egress }), {})).toEqual({});
    }
  });

  it('allows the hosts that a custom agent lists', () => {
    const agent = { ...command({ command: ['my-agent'] }), hosts: () => ['api.example.com'] };
    expect(decideEgress([agent], docker(), {}).egress).toEqual({ allow: ['api.example.com'] });
  });

  it('allows the host of a base URL of one’s own, also on the loopback', () => {
    const env = (url: string): object =>
      decideEgress([claudeCode()], bubblewrap(), { ANTHROPIC_BASE_URL: url });
    expect(env('https://gateway.example/x')).toMatchObject({
      egress: { allow: expect.arrayContaining(['gateway.example']) },
    });
    expect(env('http://127.0.0.1:4000')).toMatchObject({
      egress: { allow: expect.arrayContaining(['127.0.0.1:4000']) },
    });
    expect(() => env('http://127.0.0.1')).toThrow('egress');
  });

  it.each([
    ['CURSOR_API_ENDPOINT', cursor()],
    ['CURSOR_API_BASE_URL', cursor()],
    ['COPILOT_API_URL', copilot()],
    ['COPILOT_PROVIDER_BASE_URL', { ...copilot(), modelAccess: (): undefined => undefined }],
    ['GOOGLE_GEMINI_BASE_URL', geminiCli()],
    ['CODE_ASSIST_ENDPOINT', geminiCli()],
  ])('allows the host of %s for a stored login, or names the line to add', (name, agent) => {
    const decide = (url: string): object => decideEgress([agent], bubblewrap(), { [name]: url });
    expect(decide('https://gateway.example/x')).toMatchObject({
      egress: { allow: expect.arrayContaining(['gateway.example']) },
    });
    expect(() => decide('not a URL')).toThrow("bubblewrap({ egress: { allow: ['api.example.com'] } })");
  });

  it('is the hosts of all agents, where they have several models or one has no key', () => {
    const agents = [claudeCode(), codex()];
    const { egress, modelAccess } = decideEgress(agents, bubblewrap(), { ANTHROPIC_API_KEY: KEY });
    expect(modelAccess).toBeUndefined();
    expect(egress).toMatchObject({ allow: expect.arrayContaining(['api.anthropic.com', 'chatgpt.com']) });
  });

  it('is nothing without agents, and an agent that was not named is refused then', () => {
    expect(decideEgress([], docker(), {}).egress).toBe('none');
    expect(() => assertDecidedFor(claudeCode(), docker(), [])).toThrow('`agents`');
    expect(() => assertDecidedFor(claudeCode(), docker(), [claudeCode('opus')])).not.toThrow();
    expect(() => assertDecidedFor(claudeCode(), docker({ egress: 'none' }), [])).not.toThrow();
    expect(() => assertDecidedFor(claudeCode(), noSandbox(), [])).not.toThrow();
  });

  it('is left to a custom sandbox, which cannot enforce it', () => {
    const own = createBindMountSandboxProvider({
      name: 'own',
      create: (options) => noSandbox().create(options),
    });
    expect(decideEgress([command({ command: ['x'] })], own, {}).egress).toBeUndefined();
  });
});

describeInBubblewrap('a sandbox that is started without a run', () => {
  it('never has the network of the host', async () => {
    const worktreePath = mkdtempSync(join(tmpdir(), 'truecast-egress-'));
    try {
      const handle = await bubblewrap().create({
        worktreePath,
        hostRepoPath: worktreePath,
        mounts: [],
        env: {},
      });
      expect(handle).toMatchObject({ egress: 'none', enforcesEgress: true });
      expect((await handle.exec('cat /proc/net/route | wc -l')).stdout.trim()).toBe('1');
      await handle.close();
    } finally {
      rmSync(worktreePath, { recursive: true });
    }
  });
});

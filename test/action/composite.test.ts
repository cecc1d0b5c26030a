/**
 * `action.yml`: its shell steps, run unmodified in a faked runner with the packed packages, and the lock files
 * of the agents.
 */
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { OTHER_INPUTS, SWITCH_INPUTS, VALUE_INPUTS } from '../../packages/cli/src/action/action-inputs.ts';
import { PUBLISH_INPUTS } from '../../packages/cli/src/action/publish-patch.ts';
import { NPM_AGENT_NAMES } from '../../packages/truecast/src/agents/registry/agent-names.ts';
import { sharedTarballs } from '../package/shared-build.ts';
import { fakeRunner, sayingAgent, type FakeRunner, type Stepped } from './fake-runner.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The npm of the machine, in a job with another home. */
const NPM = { npm_config_cache: join(homedir(), '.npm'), npm_config_userconfig: join(homedir(), '.npmrc') };
const AGENTS = join(ROOT, 'action/agents');

const stepSchema = z.object({
  id: z.string().optional(),
  uses: z.string().optional(),
  if: z.string().optional(),
  shell: z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
  run: z.string().optional(),
});
const actionSchema = z.object({
  inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string() })),
  outputs: z.record(z.string(), z.object({ value: z.string() })),
  runs: z.object({ using: z.literal('composite'), steps: z.array(stepSchema) }),
});
const ACTION = actionSchema.parse(parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')));
const STEPS = ACTION.runs.steps.filter(({ run }) => run !== undefined);

/** Replaces `${{ inputs.x }}` and `${{ github.action_path }}`. Any other expression is a mistake. */
function evaluate(text: string, inputs: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{ *(?<name>[\w.-]+) *\}\}/gu, (_whole, name: string) => {
    if (name === 'github.action_path') return ROOT;
    const input = /^inputs\.(?<key>[\w-]+)$/u.exec(name)?.[1] ?? '';
    const declared = ACTION.inputs[input];
    if (declared === undefined) throw new TypeError(`No input: ${name}`);
    return inputs[input] ?? declared.default;
  });
}

/** Runs the shell steps as the runner does: each text is a file for bash. */
async function runSteps(
  runner: FakeRunner,
  inputs: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string>> = {},
): Promise<Stepped> {
  let log = '';
  let exitCode: number | undefined = 0;
  for (const { run = '', env } of STEPS) {
    const file = join(runner.folder, 'step.sh');
    writeFileSync(file, run);
    const own = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, evaluate(text, inputs)]));
    const ended = await execa('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], {
      cwd: runner.repo,
      all: true,
      reject: false,
      env: { ...NPM, ...runner.env, ...own, ...extra },
    });
    log += `${ended.all}\n`;
    exitCode = ended.exitCode;
    if (exitCode !== 0) break;
  }
  return runner.read(log, exitCode);
}

describe('the Action', () => {
  let packages: string;
  beforeAll(async () => {
    packages = dirname((await sharedTarballs())['truecast'] ?? '');
  });

  it('installs the tarballs, runs the agent, and has its answer', { timeout: 240_000 }, async () => {
    const runner = fakeRunner({ issue: { title: 'It fails' } });
    const agent = sayingAgent(runner, '<result>{"answer":7}</result>');
    const inputs = {
      packages,
      agent,
      sandbox: 'none',
      prompt: 'Triage {{EVENT_TITLE}}',
      schema: '../s.json',
    };
    const ended = await runSteps(runner, inputs);
    expect(ended.outputs, ended.log).toMatchObject({
      status: 'valid',
      value: '{"answer":7}',
      'value-answer': '7',
    });
    const again = await runSteps(runner, { ...inputs, 'max-corrections': '0', schema: '{"type":"string"}' });
    expect(again, again.log).toMatchObject({ exitCode: 3, outputs: { status: 'invalid' } });
    expect(again.log, 'the second use installs nothing').not.toContain('added ');
  });

  it('installs the agent by its lock file, and no other one', async () => {
    const runner = fakeRunner();
    const temp = runner.env['RUNNER_TEMP'] ?? '';
    mkdirSync(join(temp, 'truecast/program/node_modules/truecast/dist'), { recursive: true });
    const main = join(temp, 'truecast/program/node_modules/truecast/dist/cli.mjs');
    writeFileSync(main, 'console.log(process.argv.slice(2), process.env.PATH.split(":")[0]);');
    const bin = join(runner.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "npm $@ in $PWD"\n', { mode: 0o755 });
    const extra = { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
    const installed = (agent: string, step = 'agent'): Promise<Stepped> =>
      runSteps(runner, { agent, step }, extra);
    const { log } = await installed('codex:gpt-5.4');
    expect(log).toContain(`npm ci --no-audit --no-fund --prefer-offline in ${temp}/truecast/agent`);
    expect(log).toContain(`[ 'action', 'agent' ] ${temp}/truecast/agent/node_modules/.bin`);
    const lock = readFileSync(join(temp, 'truecast/agent/package-lock.json'), 'utf8');
    expect(lock).toBe(readFileSync(join(AGENTS, 'codex/package-lock.json'), 'utf8'));
    for (const [agent, step] of [
      ['command:sh x.sh'],
      ['../codex'],
      ['replay:x'],
      ['codex', 'publish'],
    ] as const) {
      expect((await installed(agent, step)).log).not.toContain('npm ');
    }
  });

  it('passes every input of the command, and every output', () => {
    const known = ['step', 'packages', ...VALUE_INPUTS, ...SWITCH_INPUTS, ...OTHER_INPUTS, ...PUBLISH_INPUTS];
    expect(Object.keys(ACTION.inputs).sort()).toEqual([...new Set(known)].sort());
    const env = STEPS.at(-1)?.env ?? {};
    for (const name of known.filter((each) => each !== 'step' && each !== 'packages')) {
      expect(env[`INPUT_${name.toUpperCase().replaceAll('-', '_')}`]).toBe(`\${{ inputs.${name} }}`);
    }
    for (const [name, { value }] of Object.entries(ACTION.outputs)) {
      expect(value).toBe(`\${{ steps.run.outputs.${name} }}`);
    }
  });

  it.each(['action.yml', '.github/workflows/agent.yml'])('has no expression in a script of %s', (file) => {
    const scripts = [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(/^ +run: (?<text>.+(?:\n {10,}.+)*)/gmu),
    ];
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter(({ groups }) => groups?.['text']?.includes('${{'))).toEqual([]);
  });
});

describe('the lock files of the agents', () => {
  const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()) });
  const lockSchema = z.object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string().optional(),
        integrity: z.string().optional(),
        link: z.boolean().optional(),
      }),
    ),
  });
  const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
  const tested = manifestSchema.parse(read(join(ROOT, 'test/agents/package.json'))).dependencies;

  it('exist for each agent that installs from npm', () => {
    expect(readdirSync(AGENTS).sort()).toEqual([...NPM_AGENT_NAMES].sort());
  });

  it.each(NPM_AGENT_NAMES)('of %s has the tested version, and a checksum of each package', (name) => {
    const { dependencies } = manifestSchema.parse(read(join(AGENTS, name, 'package.json')));
    expect(Object.keys(dependencies)).toHaveLength(1);
    expect(tested).toMatchObject(dependencies);
    const { packages } = lockSchema.parse(read(join(AGENTS, name, 'package-lock.json')));
    const without = Object.entries(packages).filter(
      ([path, { integrity }]) => path !== '' && integrity === undefined,
    );
    expect(without).toEqual([]);
    for (const [each, version] of Object.entries(dependencies)) {
      expect(packages[`node_modules/${each}`]?.version).toBe(version);
    }
  });
});

it('has the reusable workflow where others call it', () => {
  expect(existsSync(join(ROOT, '.github/workflows/agent.yml'))).toBe(true);
  expect(globSync('{action.yml,action/install.sh}', { cwd: ROOT })).toHaveLength(2);
});

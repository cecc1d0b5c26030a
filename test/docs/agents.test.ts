/**
 * Checks docs/agents.md against the agents' declarations, the recordings, and the real CLIs that
 * the suites run.
 *
 * This test writes the file: `npx vitest run test/docs/agents.test.ts -u`.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ACP_PRESETS } from '../../packages/truecast/src/agents/acp/presets.ts';
import { ACP_AGENTS, AGENTS as REGISTRY } from '../../packages/truecast/src/agents/registry/agents.ts';
import * as root from '../../packages/truecast/src/index.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import manifest from '../transcripts/manifest.json' with { type: 'json' };

const TEST = fileURLToPath(new URL('..', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/agents.md', import.meta.url));

/** Functions of the root that make an agent. A recording defines the behaviour of `replay`, so it is none. */
const FACTORIES: readonly string[] = [
  'acp',
  'command',
  ...Object.values(REGISTRY).map(({ factory }) => factory),
];

/** Sets every variable that an agent might look for. */
const ENVIRONMENT = {
  ...Object.fromEntries(
    ['ANTHROPIC', 'OPENAI', 'GEMINI', 'GOOGLE', 'OPENROUTER', 'COPILOT_PROVIDER'].map((name) => [
      `${name}_API_KEY`,
      'sk',
    ]),
  ),
  COPILOT_PROVIDER_BASE_URL: 'https://models.example/v1',
};

/** A model whose service is known to agents with many services. */
const KNOWN_MODEL = 'anthropic/claude-sonnet-4-6';

interface Agent {
  /** Name of the function. */
  readonly factory: string;
  readonly provider: AgentProvider;
  /** The same with a model whose service is known. */
  readonly withModel: AgentProvider;
}

const provider = z.custom<AgentProvider>(
  (value) => z.looseObject({ name: z.string() }).safeParse(value).success,
);

/** Factories take a model, or the command of the agent. */
function make(factory: object, model: string | undefined): AgentProvider {
  const call = factory as (first: unknown) => unknown;
  try {
    return provider.parse(call(model));
  } catch {
    return provider.parse(call({ command: 'agent' }));
  }
}

const AGENTS: readonly Agent[] = Object.entries<unknown>({ ...root }).flatMap(([factory, value]) =>
  FACTORIES.includes(factory) && typeof value === 'function'
    ? [{ factory, provider: make(value, undefined), withModel: make(value, KNOWN_MODEL) }]
    : [],
);

/** Names of the factories that a real-CLI suite's cases create. */
function factoriesIn(file: string): readonly string[] {
  const source = readFileSync(`${TEST}/agents/${file}`, 'utf8');
  const cases = source.split(/^ +cli: '/mu).slice(1);
  return cases.map(
    (text) => /\bagent: [^\n]*=>\s*(?<factory>\w+)\(/u.exec(text)?.groups?.['factory'] ?? text,
  );
}

const RUN_CASES = factoriesIn('cli-cases.ts');
const FINALIZER_CASES = factoriesIn('finalizer-real-clis.test.ts');
function versionOf({ name }: AgentProvider): string {
  return Object.entries(REGISTRY).find(([each]) => each === name)?.[1].npm?.version ?? '';
}

function verified({ factory, provider: agent }: Agent): string {
  if (factory === 'command') return 'verified with programs of the tests';
  if (RUN_CASES.includes(factory)) return `verified with the real CLI ${versionOf(agent)}`;
  const recorded = manifest.transcripts.find(({ file }) => file.startsWith(`${agent.name}/`));
  return recorded === undefined ? 'experimental: documented only' : `recorded with ${recorded.version}`;
}

function tellsUsage({ name }: AgentProvider): boolean {
  const files = globSync(`${TEST}/transcripts/${name}/*.events.json`);
  return files.some((file) => readFileSync(file, 'utf8').includes('{"type":"usage"'));
}

const sign = (isTrue: boolean): string => (isTrue ? 'yes' : '–');

function costOf({ provider: agent, withModel }: Agent): string {
  if (agent.reportsCost === true) return 'yes';
  return withModel.reportsCost === true ? 'for models it knows' : '–';
}

/** Its capabilities depend on the agent that it starts. */
const ACP_ROW: readonly string[] = [
  '`acp()`',
  'stdin',
  'if it can',
  'if it can',
  '–',
  'yes',
  'if it reports it',
  'if it reports it',
  '–',
  `verified with the ${Object.keys(ACP_PRESETS).length} agents below`,
];

function rowOf(agent: Agent): readonly string[] {
  if (agent.factory === 'acp') return ACP_ROW;
  const { factory, provider: plain, withModel } = agent;
  const { promptBy = 'stdin', sessionStorage, canFork, nativeMode, canUseMcp } = plain;
  return [
    `\`${factory}()\``,
    promptBy,
    sign(sessionStorage !== undefined),
    sign(canFork === true),
    nativeMode === undefined ? '–' : `by a ${nativeMode.passes}`,
    canUseMcp === true && !FINALIZER_CASES.includes(factory) ? 'yes, untried' : sign(canUseMcp === true),
    sign(tellsUsage(plain)),
    costOf(agent),
    sign([plain, withModel].some((each) => each.modelAccess?.(ENVIRONMENT) !== undefined)),
    verified(agent),
  ];
}

const HEADINGS = [
  'agent',
  'prompt by',
  'resume',
  'fork',
  '`mode: "native"`',
  '`mode: "mcp"`',
  'usage',
  'cost',
  '`egress: "model"`',
  'how this is known',
];

function table(rows: readonly (readonly string[])[]): string {
  const widths = HEADINGS.map((heading, index) =>
    Math.max(heading.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [HEADINGS, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}

const PRESETS = Object.values(ACP_AGENTS)
  .map(({ preset = 'kimi', hint, npm }) => {
    const [program, ...args] = ACP_PRESETS[preset].command;
    return `| \`${preset}\` | ${hint.split(',')[0] ?? ''} ${npm.version} | \`${[program, ...args].join(' ')}\` | \`${ACP_PRESETS[preset].installHint}\` |`;
  })
  .join('\n');

const TEXT = `# Agents

This page shows what each supported agent can do, and how that was verified.

${table(AGENTS.map(rowOf))}

- **prompt by**: how the agent receives its prompt. An \`argument\` is limited by the system: a prompt over 120 KiB is rejected. \`stdin\` has no limit.
- **resume**, **fork**: a later run continues a session (\`session.resume\`), or continues a copy of it (\`fork()\`).
- **\`mode: "native"\`**: the CLI's schema mode. It receives the schema in a flag or a file.
- **\`mode: "mcp"\`**: the agent submits its answer through a tool, and corrects an invalid one in its own loop ([finalizer.md](finalizer.md)). *Untried*: no test of the real CLI covers it.
- **usage**, **cost**: tokens and US dollars, as the agent reports them. With \`egress: "model"\` the proxy also counts tokens.
- **\`egress: "model"\`**: in a sandbox, the agent reaches only its model, and its key stays outside. It needs a key in the environment. \`copilot()\` needs a custom model provider (\`COPILOT_PROVIDER_BASE_URL\`). With such a key it is the default. Without one, the default is a list of the agent's own hosts ([sandboxes.md](sandboxes.md#the-default-is-closed)).
- **how this is known**: the tests run each *verified* agent: the real program with a scripted model, without a sandbox and in bubblewrap. For *recorded* agents, the tests parse recorded output. *Documented only*: written from the documentation, never run.

## Agents of the Agent Client Protocol

\`acp({ preset: 'qwen-code' })\`, or \`--agent qwen-code\`, runs an agent that was tried. The tests run each one: it
commits, gives a wrong answer and corrects it, without a sandbox and in bubblewrap.

| preset | agent | command | install |
|---|---|---|---|
${PRESETS}

Their keys and settings must be inside the sandbox. Without a sandbox, Qwen Code, Claude and Codex refuse some of their tools by
default: set \`mode\` to \`yolo\`, \`bypassPermissions\` or \`agent-full-access\`. After a run without a commit, a warning names the mode. The tests also submit the answer of each one with \`mode: 'mcp'\` ([finalizer.md](finalizer.md#agents)). Another agent is run by its command:
\`acp({ command: ['agent', '--acp'], authMethod: 'api-key' })\`. It needs \`node\` in the sandbox, grants every permission that the agent requests, and does not
copy sessions. In a sandbox, the agent works in the most open mode that it offers (such as \`bypassPermissions\`, \`full-access\` or \`yolo\`), with \`noSandbox()\` in its own default; \`mode\` sets another. Gemini CLI 0.61 cannot load a session in the minute of its creation, so set \`retry: 'fresh'\` on its output. Runs start Gemini CLI and Qwen Code in one process, with the memory limit of Node. For a larger one, set \`NODE_OPTIONS\` in their \`env\`. \`command()\` runs any program. You can also write a custom \`AgentProvider\` ([custom-agents.md](custom-agents.md)). The options of each agent are in [agent-options.md](agent-options.md).

This page is generated from what the agents declare and from the suites that run them (\`test/docs/agents.test.ts\`).
`;

test('docs/agents.md matches the declarations of the agents', async () => {
  expect(existsSync(PAGE)).toBe(true);
  await expect(TEXT).toMatchFileSnapshot(PAGE);
});

test('docs/agent-options.md has a table of the options of each agent', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/agent-options.md', import.meta.url)), 'utf8');
  const tables = [...page.matchAll(/^## `(\w+)\(\)`$[\s\S]*?<!-- members of (\w+)Options -->/gmu)];
  expect(new Set(tables.map(([, factory]) => factory))).toEqual(
    new Set(AGENTS.map(({ factory }) => factory)),
  );
  expect(tables).toHaveLength(AGENTS.length);
  for (const [, factory = '', options = ''] of tables) {
    expect(options.toLowerCase()).toBe(factory.toLowerCase());
  }
});

test('each case of the suites of real CLIs is of an exported agent, whose CLI has a version', () => {
  const known = new Map(AGENTS.map((agent) => [agent.factory, agent]));
  expect(RUN_CASES.length).toBeGreaterThan(0);
  for (const factory of [...RUN_CASES, ...FINALIZER_CASES]) {
    expect([...known.keys()]).toContain(factory);
    expect(versionOf(known.get(factory)?.provider ?? root.codex())).toMatch(/^\d+\.\d+\.\d+$/u);
  }
});

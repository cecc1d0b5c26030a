/**
 * Renews the golden transcripts of the parsers: runs each real CLI of `test/agents`, at its
 * installed version, against the scripted model. `npm run transcripts` runs it and writes the
 * expected events. Review the diff before you commit it.
 */
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import type { AgentCommandOptions, StreamAgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { CLI_CASES, KEY, type CliCase } from '../agents/cli-cases.ts';
import { CLI_BIN_DIRS, makeWorkplace, type Workplace } from '../agents/real-cli.ts';
import { printEvents, readTranscript } from './print-events.ts';

interface Scene {
  readonly name: string;
  readonly says: string;
  readonly script: ModelScript;
  /** Resumes the session of a first turn and keeps the second turn. */
  readonly isResumed?: boolean;
  readonly jsonSchema?: unknown;
}

const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'integer' } },
  required: ['answer'],
  additionalProperties: false,
};
const WORK = 'printf "hello\\n" > out.txt && git add out.txt && git commit -q -m "agent work"';

const SCENES: readonly Scene[] = [
  {
    name: 'renewed-answer',
    says: 'thinks, speaks, calls the shell, then answers in a tag',
    script: [
      reply.steps([reply.thinking('A file is missing.'), reply.text('Working on it.'), reply.shell(WORK)]),
      reply.text('Done. <result>{"answer":42}</result>', { chunkChars: 5 }),
    ],
  },
  {
    name: 'renewed-resumed',
    says: 'a session that is resumed',
    script: [reply.text('First.'), reply.text('Second. <result>{"answer":42}</result>')],
    isResumed: true,
  },
  {
    name: 'renewed-schema',
    says: 'answers by its own schema mode',
    script: () => reply.json({ answer: 42 }),
    jsonSchema: SCHEMA,
  },
  { name: 'renewed-401', says: 'the service refuses the key', script: () => reply.error(401) },
];

/** A CLI that retries repeatedly does not show how it ends. */
const TURN_TIMEOUT_MS = 60_000;
const PROMPT = 'Do the work, and answer in a <result> tag.';

const row = z.looseObject({ file: z.string() });
const manifestFile = new URL('manifest.json', import.meta.url);
const packageFile = z.object({ dependencies: z.record(z.string(), z.string()) });

async function renew(): Promise<void> {
  const wanted = process.argv.slice(2);
  const { transcripts } = z
    .object({ transcripts: z.array(row) })
    .parse(JSON.parse(await readFile(manifestFile, 'utf8')));
  const rows = new Map(transcripts.map((each) => [each.file, each]));
  for (const cliCase of CLI_CASES) {
    const agent = cliCase.agent(undefined);
    if (wanted.length > 0 && !wanted.includes(agent.name)) continue;
    for (const scene of SCENES) {
      if (scene.jsonSchema !== undefined && agent.nativeMode === undefined) continue;
      const file = `${agent.name}/${scene.name}.jsonl`;
      const stdout = await record(cliCase, scene);
      process.stdout.write(`${stdout === undefined ? 'not written, it did not end' : 'written'}: ${file}\n`);
      if (stdout === undefined) continue;
      await mkdir(new URL(agent.name, import.meta.url), { recursive: true });
      await writeFile(new URL(file, import.meta.url), stdout);
      const events = printEvents(readTranscript(cliCase.agent(undefined), stdout));
      await writeFile(new URL(file.replace('.jsonl', '.events.json'), import.meta.url), events);
      rows.set(file, { file, ...(await describe(agent, scene)) });
    }
  }
  const sorted = [...rows.values()].toSorted((one, other) => (one.file < other.file ? -1 : 1));
  await writeFile(manifestFile, `${JSON.stringify({ transcripts: sorted }, null, 2)}\n`);
}

async function describe(agent: StreamAgentProvider, { says }: Scene): Promise<Readonly<Record<string, string>>> {
  const installed = new URL('../agents/package.json', import.meta.url);
  const { dependencies } = packageFile.parse(JSON.parse(await readFile(installed, 'utf8')));
  const named = (agent.installHint ?? '').replace('opencode-ai', 'opencode-linux-x64');
  const [cli = '', version = ''] = Object.entries(dependencies).find(([name]) => named.endsWith(name)) ?? [];
  return {
    source: 'the real CLI against a scripted model server on 127.0.0.1; paths made neutral',
    date: new Date().toISOString().slice(0, 10),
    cli,
    version,
    case: says,
    regenerate: `npm run transcripts -- ${agent.name}`,
  };
}

async function record(cliCase: CliCase, scene: Scene): Promise<string | undefined> {
  await using work = await makeWorkplace({ 'a.txt': 'a\n' });
  const server = await scriptedModelServer({ script: scene.script, key: KEY });
  try {
    const agent = cliCase.agent(server);
    const environment = { ...cliCase.environment(server, work.home), CLAUDE_CODE_MAX_RETRIES: '1' };
    const take = (options: Partial<AgentCommandOptions>): Promise<string | undefined> =>
      takeTurn(agent, environment, work, { scene, options });
    const first = await take({});
    if (first === undefined || scene.isResumed !== true) return first && neutral(first, work, server);
    const session = readTranscript(agent, first).find((event) => event.type === 'session');
    const second = session === undefined ? undefined : await take({ resumeSession: session.sessionId });
    return second && neutral(second, work, server);
  } finally {
    await server.close();
  }
}

interface Turn {
  readonly scene: Scene;
  readonly options: Partial<AgentCommandOptions>;
}

/** Returns its stdout, or undefined if it did not exit by itself. */
async function takeTurn(
  agent: StreamAgentProvider,
  environment: Readonly<Record<string, string>>,
  work: Workplace,
  { scene: { jsonSchema }, options }: Turn,
): Promise<string | undefined> {
  const schemaPath = `${work.root}/schema.json`;
  await writeFile(schemaPath, JSON.stringify(jsonSchema ?? null));
  const { command, stdin, env } = agent.buildPrintCommand({
    prompt: PROMPT,
    dangerouslySkipPermissions: true,
    ...(jsonSchema !== undefined && { jsonSchema, jsonSchemaPath: schemaPath }),
    ...options,
  });
  const { stdout, timedOut } = await execa('sh', ['-c', command], {
    cwd: work.repo,
    input: stdin ?? '',
    env: {
      PATH: `${CLI_BIN_DIRS}${delimiter}${process.env['PATH'] ?? ''}`,
      LANG: 'C.UTF-8',
      ...environment,
      ...agent.env,
      ...env,
    },
    extendEnv: false,
    reject: false,
    timeout: TURN_TIMEOUT_MS,
    stripFinalNewline: false,
  });
  return timedOut ? undefined : stdout;
}

function neutral(stdout: string, work: Workplace, server: ScriptedModelServer): string {
  const { host } = new URL(server.openaiUrl);
  const folder = work.root.slice(1).replaceAll('/', '-');
  return stdout
    .replaceAll(work.root, '/home/user/work')
    .replaceAll(folder, 'home-user-work')
    .replaceAll(host, '127.0.0.1:8080')
    .replaceAll(KEY, '***');
}

await renew();

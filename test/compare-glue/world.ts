/** World of one job: its repositories, the fake CLI, the scripted model, and what they recorded. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import { reply, scriptedModelServer } from 'truecast/testing';
import { type AgentAct, type AgentCall, type AnswerForm, writeAnswer } from './agent-act.ts';

/** Input of a job. */
export interface World {
  readonly cwd: string;
  readonly repos?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly modelUrl: string;
  readonly model: string;
  readonly apiKey: string;
  readonly input?: unknown;
}

/** Action of an agent or the model in one turn if nothing disturbs it. */
export interface Turn {
  /** The task, such as a file. A fault names it. */
  readonly subject: string;
  readonly shell?: string;
  readonly answer: unknown;
  /** An answer that the job must refuse. */
  readonly wrong?: unknown;
}

/** Folders of a world, and how to fill them. */
export interface Place {
  readonly root: string;
  readonly cwd: string;
  write(path: string, content: string): void;
  git(...args: readonly string[]): string;
  /** Makes `cwd`, or another folder, a repository with these files on `main`. */
  commitAll(files: Readonly<Record<string, string>>, cwd?: string): void;
}

/** One of the ten jobs, as its world plays it. */
export interface Scenario {
  readonly title: string;
  setup(place: Place): { readonly input?: object; readonly repos?: readonly string[] };
  agent?(call: AgentCall, turns: readonly RecordedTurn[]): Turn;
  model?(prompt: string): Turn;
}

/** Change by a fault. */
export interface Disturbance {
  /** Whose turn. @default "agent" */
  readonly of?: 'agent' | 'model';
  /** Subject of the turns that it changes. @default all */
  readonly subject?: string;
  /** How many turns it changes. @default 1 */
  readonly times?: number;
  readonly form?: AnswerForm;
  /** The answer is the scenario's wrong one. */
  readonly isWrong?: boolean;
  readonly service?: 'limit' | 'cut' | 'length';
  readonly end?: AgentAct['end'];
  /** Runs after the agent's own command, in its folder. */
  readonly shell?: string;
  /** Runs instead of the agent's own command. */
  readonly insteadShell?: string;
  /** The job's program is killed when this turn begins. */
  readonly killsProgram?: boolean;
}

/** One start of the fake CLI, as it was recorded. */
export interface RecordedTurn {
  readonly subject: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly pid: number;
  /** True if the answer was the right one, in a readable form. */
  readonly isRight: boolean;
  /** Commit on which the agent ended. */
  head?: string | undefined;
  isOver: boolean;
}

export interface OpenWorld {
  readonly world: World;
  readonly place: Place;
  readonly turns: readonly RecordedTurn[];
  /** The most agents that worked at one time. */
  mostAtOnce(): number;
  /** The last answer of the model that nothing disturbed. */
  lastModelAnswer(): unknown;
  onKill: () => void;
  close(): Promise<void>;
}

/** A value that looks like a credential. It is in the environment of the program and of its agents. */
export const SECRET = 'tok_9f8a7c6b5d4e3f2a1b0c9d8e';

export interface OpenWorldOptions {
  readonly scenario: Scenario;
  readonly limitMs?: number | undefined;
  readonly disturb?: Disturbance | undefined;
  readonly prepare?: ((place: Place, input: object) => void) | undefined;
}

/** Opens the world of one job. */
export async function openWorld({
  scenario,
  limitMs = 90_000,
  disturb,
  prepare,
}: OpenWorldOptions): Promise<OpenWorld> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'job-')));
  const place = openPlace(root);
  const { input = {}, repos } = scenario.setup(place);
  const given = { ...input, limitMs };
  prepare?.(place, given);
  const turns: RecordedTurn[] = [];
  let left = disturb === undefined ? 0 : (disturb.times ?? 1);
  let most = 0;
  let lastModelAnswer: unknown;
  const disturbanceOf = (of: 'agent' | 'model', subject: string): Disturbance => {
    if (disturb === undefined || left === 0 || (disturb.of ?? 'agent') !== of) return {};
    if (disturb.subject !== undefined && disturb.subject !== subject) return {};
    left -= 1;
    return disturb;
  };
  const opened: { onKill: () => void } = { onKill: () => undefined };

  const act = (call: AgentCall): AgentAct => {
    const turn = scenario.agent?.(call, turns);
    if (turn === undefined) throw new Error('This job has no agent.');
    const change = disturbanceOf('agent', turn.subject);
    if (change.killsProgram === true) opened.onKill();
    const { text, isRight } = answerOf(turn, change, call.prompt);
    turns.push({
      subject: turn.subject,
      sessionId: call.sessionId,
      cwd: call.cwd,
      pid: call.pid,
      isRight,
      isOver: false,
    });
    most = Math.max(most, turns.filter((each) => !each.isOver).length);
    const shell = [change.insteadShell ?? turn.shell, change.shell]
      .filter((line) => line !== undefined)
      .join(' && ');
    const service = ({ limit: 'limit', cut: 'cut', length: 'ok' } as const)[change.service ?? 'length'];
    return {
      ...(shell !== '' && { shell }),
      text: change.service === 'length' ? writeAnswer(turn.answer, call.prompt, 'cut') : text,
      end: change.end ?? service,
      ...(change.service === 'length' && { stopReason: 'max_tokens' as const }),
    };
  };
  const control = await openControl((path, body) => {
    if (path === '/act') return act(body as AgentCall);
    if (path === '/kill') opened.onKill();
    const turn = turns.findLast(({ pid }) => pid === (body as { pid: number }).pid);
    if (turn !== undefined && path === '/did') turn.head = (body as { head?: string }).head;
    if (turn !== undefined && path === '/end') turn.isOver = true;
    return {};
  });
  const server = await scriptedModelServer({
    script: (turn) => {
      const prompt = turn.messages
        .flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')))
        .join('\n');
      const said = scenario.model?.(prompt);
      if (said === undefined) throw new Error('This job has no model.');
      const change = disturbanceOf('model', said.subject);
      const { text, isRight } = answerOf(said, change, prompt);
      if (change.service === 'limit') return reply.error(429, { retryAfterSeconds: 0 });
      if (change.service === 'cut') return reply.cut({ afterChunks: 2 }, reply.text(text));
      if (change.service === 'length') {
        return reply.text(text.slice(0, text.length / 2), { finishReason: 'length' });
      }
      if (isRight) lastModelAnswer = said.answer;
      return isRight && change.form === undefined
        ? reply.json(said.answer as object as never)
        : reply.text(text);
    },
  });
  installPrograms(root, control.url);
  return Object.assign(opened, {
    world: {
      cwd: place.cwd,
      ...(repos !== undefined && { repos }),
      env: {
        PATH: `${join(root, 'bin')}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
        HOME: join(root, 'home'),
        TMPDIR: join(root, 'tmp'),
        SERVICE_TOKEN: SECRET,
      },
      modelUrl: server.openaiUrl,
      model: 'scripted',
      apiKey: 'any-key',
      input: given,
    },
    place,
    turns,
    mostAtOnce: () => most,
    lastModelAnswer: () => lastModelAnswer,
    close: async () => {
      await control.close();
      await server.close();
      for (const pid of processesOf(root)) stop(pid);
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  });
}

function answerOf(turn: Turn, change: Disturbance, prompt: string): { text: string; isRight: boolean } {
  const form = change.form ?? 'plain';
  const said = change.isWrong === true ? turn.wrong : turn.answer;
  const answer = form === 'secret' ? withSecret(said) : said;
  return {
    text: writeAnswer(answer, prompt, form, turn.wrong),
    isRight:
      change.isWrong !== true &&
      form !== 'comma' &&
      form !== 'two' &&
      form !== 'secret' &&
      change.service === undefined,
  };
}

/** Writes the secret in the last text of an answer. */
function withSecret(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer).replace(/"text":"[^"]*"(?!.*"text")/u, `"text":"Why is ${SECRET} here?"`),
  );
}

function openPlace(root: string): Place {
  const cwd = join(root, 'work');
  for (const name of ['work', 'home', 'tmp', 'bin']) mkdirSync(join(root, name));
  writeFileSync(
    join(root, 'home', '.gitconfig'),
    '[user]\nname = Test\nemail = test@localhost\n[init]\ndefaultBranch = main\n',
  );
  const gitIn = (folder: string, args: readonly string[]): string =>
    execFileSync('git', [...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, HOME: join(root, 'home') },
    }).trim();
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  return {
    root,
    cwd,
    write: (path, content) => write(join(cwd, path), content),
    git: (...args) => gitIn(cwd, args),
    commitAll(files, folder = cwd) {
      for (const [path, content] of Object.entries(files)) write(join(folder, path), content);
      gitIn(folder, ['init', '-q', '-b', 'main']);
      gitIn(folder, ['add', '-A']);
      gitIn(folder, ['commit', '-q', '-m', 'Start']);
    },
  };
}

/** Installs the fake CLI, and a command that kills the job's program. */
function installPrograms(root: string, control: string): void {
  const script = join(import.meta.dirname, 'fake-claude.ts');
  const kill = `fetch("${control}/kill",{method:"POST",body:"{}"})`;
  const programs = {
    claude: `exec '${process.execPath}' '${script}' '${control}' "$@"`,
    'kill-program': `exec '${process.execPath}' -e '${kill}'`,
  };
  for (const [name, command] of Object.entries(programs)) {
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${command}\n`);
    chmodSync(join(root, 'bin', name), 0o755);
  }
}

async function openControl(
  answer: (path: string, body: unknown) => unknown,
): Promise<{ url: string; close(): Promise<void> }> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readJson(request);
    try {
      response.end(JSON.stringify(answer(request.url ?? '/', body)));
    } catch (error) {
      response.writeHead(500).end(JSON.stringify({ error: String(error) }));
    }
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the processes that have the home of this world in their environment. */
export function processesOf(root: string): number[] {
  const isOf = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .includes(`HOME=${join(root, 'home')}`);
    } catch {
      return false; // it has ended, or belongs to another user
    }
  };
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/u.test(entry) && isOf(entry))
    .map(Number);
}

function stop(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

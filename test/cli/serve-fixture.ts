/**
 * Starts the server's commands as separate processes, in a separate folder, without the keys of
 * this machine.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { KEY_VARIABLES } from '@truecast/model/internal/models-file/list-variables';
import { afterAll, beforeAll } from 'vitest';
import type { ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { FORM } from '../matrix.ts';
import { MAIN, makeRepository } from './cli-fixture.ts';
import { serveHere } from './serve-here.ts';

/** Output of a command that runs. */
interface Heard {
  /** Its complete stderr. */
  said(): string;
  /** The JSON lines on its stdout. */
  logged(): readonly Readonly<Record<string, unknown>>[];
  /** Waits for a match in its output. Rejects if it exits first. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

/** A command that runs until it is stopped. */
export interface Running extends Heard, AsyncDisposable {
  readonly process: ChildProcess;
  /**
   * Waits for the exit, after an optional signal. Returns the exit code, or the signal that ended
   * it.
   */
  end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

const lineSchema = z.record(z.string(), z.unknown());

/** Environment of a command, without the keys of the user who runs the tests. */
function environment(cwd: string, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = { ...process.env };
  for (const name of [...Object.values(KEY_VARIABLES), 'TRUECAST_BASE_URL', 'TRUECAST_MODEL']) {
    delete kept[name];
  }
  return { ...kept, HOME: cwd, ...extra };
}

/** Starts a command in a folder. */
export function start(
  cwd: string,
  args: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: environment(cwd, extra),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const ended = once(child, 'close');
  const heard = hear(child, ended, isOver);
  const end = async (signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null> => {
    if (signal !== undefined && !isOver()) child.kill(signal);
    await ended;
    return child.exitCode ?? child.signalCode;
  };
  return {
    process: child,
    ...heard,
    end,
    [Symbol.asyncDispose]: async () => {
      await end('SIGKILL');
    },
  };
}

/** Listens to a command until its end. */
function hear(
  { stdout, stderr }: { readonly stdout: Readable; readonly stderr: Readable },
  ended: Promise<unknown>,
  isOver: () => boolean,
): Heard {
  let text = '';
  let log = '';
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  const listeners = new Set<() => void>();
  const tellAll = (): void => listeners.forEach((listener) => listener());
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    tellAll();
  });
  void ended.then(tellAll);
  return {
    said: () => text,
    logged: () =>
      log
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => lineSchema.parse(JSON.parse(line))),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(text);
          if (match !== null) resolve(match);
          else if (isOver()) reject(new TypeError(`It ended without saying ${String(pattern)}: ${text}`));
          else return;
          listeners.delete(look);
        };
        listeners.add(look);
        look();
      }),
  };
}

const noteSchema = z.object({ token: z.string() });

/** Requests to a server. */
interface Served {
  readonly url: string;
  readonly token: string;
  /** Sends a request and parses the JSON response. */
  ask(path: string, body?: unknown): Promise<unknown>;
}

/** A running server. */
export interface RunningServer extends Running, Served {}

/** A command as a program, or in the process of the suites. */
interface RunningBeside extends Heard, AsyncDisposable {
  /** Ends it as `SIGTERM` does. Returns the exit code. */
  end(signal: 'SIGTERM'): Promise<number | NodeJS.Signals | null>;
}

/** A server as a program, or in the process of the suites. */
export interface AnyServer extends RunningBeside, Served {}

/** Starts `truecast serve` on a free port. */
export async function serve(
  cwd: string,
  args: readonly string[] = [],
  extra: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const running = start(cwd, ['serve', '--port', '0', ...args], extra);
  return { ...running, ...(await served(running)) };
}

/**
 * Starts a command in the process of the suites, for tests that send it no signal but `SIGTERM`. The whole
 * form starts a program.
 */
export function startBeside(
  cwd: string,
  words: readonly string[],
  extra: Readonly<Record<string, string>> = {},
): RunningBeside {
  if (FORM === 'whole') return start(cwd, words, extra);
  const { stop, ...outputs } = serveHere({ words, cwd, env: environment(cwd, extra) });
  const heard = hear(outputs, once(outputs.stderr, 'close'), () => outputs.stderr.closed);
  let stopped: Promise<number> | undefined;
  const end = (): Promise<number> => (stopped ??= stop());
  return { ...heard, end, [Symbol.asyncDispose]: async () => void (await end()) };
}

/** Starts `truecast serve` on a free port, as `startBeside` does. */
export async function serveBeside(
  cwd: string,
  args: readonly string[] = [],
  extra: Readonly<Record<string, string>> = {},
): Promise<AnyServer> {
  const running = startBeside(cwd, ['serve', '--port', '0', ...args], extra);
  try {
    return { ...running, ...(await served(running)) };
  } catch (error) {
    await running.end('SIGTERM');
    throw error;
  }
}

async function served(heard: Heard): Promise<Served> {
  const [, note = '', url = ''] = await heard.until(/token: in (.+)\n(?:.+\n)*Serving at (\S+)/u);
  const { token } = noteSchema.parse(JSON.parse(readFileSync(note, 'utf8')));
  return {
    url,
    token,
    ask: async (path, body) => {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return response.json();
    },
  };
}

/** A server for the tests of a file. */
export interface SharedServer<Server> {
  /** Its folder: a repository with `s.json`. */
  cwd(): string;
  server(): Server;
  /** Replaces the script of its model. */
  answer(script: (turn: ScriptedTurn) => ScriptedReply): void;
}

/** Declares the server, which `serve` or `serveBeside` starts. Without a model, it has the one of the demonstration. */
export function declareServer<Server extends AnyServer>(
  startServer: (
    cwd: string,
    args: readonly string[],
    extra: Readonly<Record<string, string>>,
  ) => Promise<Server>,
  model?: 'scripted',
): SharedServer<Server> {
  let shared: { readonly cwd: string; readonly server: Server } | undefined;
  let script: ((turn: ScriptedTurn) => ScriptedReply) | undefined;
  const ends: (() => unknown)[] = [];
  const at = (): NonNullable<typeof shared> => {
    if (shared === undefined) throw new TypeError('The server runs in tests only.');
    return shared;
  };
  beforeAll(async () => {
    const cwd = makeRepository((remove) => ends.unshift(remove));
    copyFileSync(join(cwd, '../s.json'), join(cwd, 's.json'));
    const models = await scriptedModelServer({
      script: (turn) => {
        if (script === undefined) throw new TypeError('The test has not set an answer.');
        return script(turn);
      },
    });
    ends.unshift(() => models.close());
    const env = { TRUECAST_BASE_URL: models.openaiUrl, TRUECAST_MODEL: 'scripted' };
    const server = await startServer(cwd, [], model === undefined ? {} : env);
    ends.unshift(() => server[Symbol.asyncDispose]());
    shared = { cwd, server };
  }, 120_000);
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return { cwd: () => at().cwd, server: () => at().server, answer: (next) => (script = next) };
}

/** A message whose answer must be `{ answer: number }`. */
export const QUESTION = {
  content: 'How many?',
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'answer',
      schema: { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] },
    },
  },
} as const;

/** The parsed fields of a chat that was created with a question. */
export const createdSchema: z.ZodType<{ chat: { id: string }; request_id: string }> = z.object({
  chat: z.object({ id: z.string() }),
  request_id: z.string(),
});

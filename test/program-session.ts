/** Program session: one process for many programs, in place of a start for each, with pipes or on a terminal. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import { afterAll, beforeAll } from 'vitest';
import { FORM } from './matrix.ts';
import { quickFork } from './runner/quick-fork.ts';

const HOST = join(import.meta.dirname, 'program-host.ts');

/** A program, and where it runs. */
export interface Program {
  readonly file: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  /** Variables in addition to those of the tests. @default none */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Outputs without the end of the last line, as `execa` returns them, and the exit code. On a terminal,
 * `stdout` has both outputs.
 */
export interface ProgramEnd {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

/** A process that runs programs. */
export interface ProgramSession extends AsyncDisposable {
  /** Runs a program, one at a time. Rejects if the process ends before. */
  run(program: Program): Promise<ProgramEnd>;
}

/**
 * Returns a function that runs a program. The short form runs those of a test file in one process, which
 * loads the packages once. The whole form starts each.
 */
export function declarePrograms(): ProgramSession['run'] {
  let session: ProgramSession | undefined;
  beforeAll(async () => {
    if (FORM === 'short') session = await openSession('pipes');
  });
  afterAll(() => session?.[Symbol.asyncDispose]());
  return async (program) => {
    if (session !== undefined) return session.run(program);
    const { file, args = [], cwd, env = {} } = program;
    const options = { cwd, env, timeout: 240_000, reject: false } as const;
    const { stdout, stderr, exitCode } = await execa(process.execPath, [file, ...args], options);
    return { stdout, stderr, exitCode };
  };
}

/** Starts the process, with pipes or on a terminal of 100 columns and 40 rows, in colors. */
export async function openSession(kind: 'pipes' | 'terminal'): Promise<ProgramSession> {
  const folder = mkdtempSync(join(tmpdir(), 'session-'));
  const server = createServer().listen(join(folder, 's'));
  await once(server, 'listening');
  const mark = `\n${randomUUID()}\n`;
  const child = startHost(kind, folder, mark);
  const ended = once(child, 'close').then(() => undefined);
  const connected = once(server, 'connection').then(([socket]: Socket[]) => socket);
  // A terminal writes a line's end as two characters.
  const shownMark = kind === 'terminal' ? mark.replaceAll('\n', '\r\n') : mark;
  const readStdout = readUntil(child.stdout, shownMark);
  const readStderr = kind === 'terminal' ? () => Promise.resolve('') : readUntil(child.stderr, shownMark);
  const socket = await Promise.race([connected, ended]);
  if (socket === undefined) throw new TypeError('The host of programs did not start.');
  const codes = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    run: async ({ file, args = [], cwd, env = {} }) => {
      const outputs = Promise.all([readStdout(), readStderr(), codes.next()]);
      socket.write(`${JSON.stringify({ file, args, cwd, env })}\n`);
      // The end of its input, as where the input is no file.
      if (kind === 'terminal') child.stdin.write('\u0004');
      const end = await Promise.race([outputs, ended]);
      if (end === undefined) throw new TypeError(`The host ended during ${file} ${args.join(' ')}`);
      const [stdout, stderr, { value }] = end;
      return { stdout: trimmed(stdout), stderr: trimmed(stderr), exitCode: Number(value) };
    },
    [Symbol.asyncDispose]: async () => {
      socket.end();
      await ended;
      server.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function startHost(kind: 'pipes' | 'terminal', folder: string, mark: string): ChildProcessWithoutNullStreams {
  const words = [HOST, join(folder, 's'), mark];
  // Programs start many others, mostly git.
  const quick = quickFork();
  const env = { ...process.env, ...quick };
  if (kind === 'pipes') return spawn(process.execPath, words, { cwd: folder, env });
  const variables = Object.entries(quick).map(([name, value]) => `${name}='${value}' `);
  const line = variables.join('') + [process.execPath, ...words].map((word) => `'${word}'`).join(' ');
  return spawn('script', ['-qec', `stty cols 100 rows 40 -echo; ${line}`, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TERM: 'xterm-256color', NO_COLOR: '' },
  });
}

/** Returns a function that resolves with the text of a stream up to the next mark. */
function readUntil(stream: Readable, mark: string): () => Promise<string> {
  let text = '';
  let look: (() => void) | undefined;
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    look?.();
  });
  return () =>
    new Promise((resolve) => {
      look = () => {
        const at = text.indexOf(mark);
        if (at === -1) return;
        look = undefined;
        resolve(text.slice(0, at));
        text = text.slice(at + mark.length);
      };
      look();
    });
}

function trimmed(text: string): string {
  return text.replace(/\r?\n$/u, '');
}

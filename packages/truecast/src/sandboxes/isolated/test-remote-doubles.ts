/**
 * Test doubles of two services' machines. A host folder replaces the machine, and real shells run
 * its commands.
 */
import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import type { DaytonaClient, DaytonaMachine } from './daytona-sdk.ts';
import type { VercelMachine, VercelSdk } from './vercel-sdk.ts';

/** Recorded calls to the doubles. */
export const asked: { readonly created: object[]; stopped: number } = { created: [], stopped: 0 };

/** The machine's path that is mapped to a temporary folder of this host. */
const VERCEL_ROOT = '/vercel/sandbox';

const ENVIRONMENT = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1' };

function runHere(
  file: string,
  args: readonly string[],
  root: string,
  output: { stdout(chunk: string): void; stderr(chunk: string): void },
): Promise<number> {
  const child = spawn(file, args, {
    cwd: '/',
    env: { ...ENVIRONMENT, HOME: root },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.setEncoding('utf8').on('data', output.stdout);
  child.stderr.setEncoding('utf8').on('data', output.stderr);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

async function makeRoot(): Promise<string> {
  return realpath(await mkdtemp('/tmp/double-'));
}

async function put(path: string, content: Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  await chmod(path, mode);
}

class VercelDouble implements VercelMachine {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  #inside(text: string): string {
    return text.replaceAll(VERCEL_ROOT, this.#root);
  }

  async runCommand(params: {
    cmd: string;
    args: string[];
    stdout: Writable;
    stderr: Writable;
  }): Promise<{ readonly exitCode: number }> {
    const told = (stream: Writable) => (chunk: string) =>
      void stream.write(chunk.replaceAll(this.#root, VERCEL_ROOT));
    const exitCode = await runHere(
      params.cmd,
      params.args.map((argument) => this.#inside(argument)),
      this.#root,
      { stdout: told(params.stdout), stderr: told(params.stderr) },
    );
    return { exitCode };
  }

  async writeFiles(files: { path: string; content: Uint8Array; mode?: number }[]): Promise<void> {
    for (const { path, content, mode } of files) {
      const isScript = path.endsWith('/run');
      const bytes = isScript ? Buffer.from(this.#inside(Buffer.from(content).toString())) : content;
      await put(this.#inside(path), bytes, mode);
    }
  }

  async downloadFile(source: { path: string }, target: { path: string }): Promise<string | null> {
    try {
      await mkdir(dirname(target.path), { recursive: true });
      await copyFile(this.#inside(source.path), target.path);
      return target.path;
    } catch {
      return null;
    }
  }

  async stop(): Promise<void> {
    asked.stopped += 1;
    await rm(this.#root, { recursive: true, force: true });
  }
}

/** Test double of `@vercel/sandbox`. */
export const vercelSdk: VercelSdk = {
  Sandbox: {
    async create(params) {
      asked.created.push(params);
      return new VercelDouble(await makeRoot());
    },
  },
};

class DaytonaDouble implements DaytonaMachine {
  readonly root: string;
  readonly #commands = new Map<string, Promise<number>>();
  readonly #lines = new Map<string, string>();

  constructor(root: string) {
    this.root = root;
  }

  readonly process: DaytonaMachine['process'] = {
    createSession: () => Promise.resolve(),
    executeSessionCommand: (_sessionId, { command }) => {
      const cmdId = `command-${this.#lines.size}`;
      this.#lines.set(cmdId, command);
      return Promise.resolve({ cmdId });
    },
    getSessionCommandLogs: async (_sessionId, commandId, stdout, stderr) => {
      const running = runHere('sh', ['-c', this.#lines.get(commandId) ?? 'exit 9'], this.root, {
        stdout,
        stderr,
      });
      this.#commands.set(commandId, running);
      await running;
    },
    getSessionCommand: async (_sessionId, commandId) => {
      const exitCode = await this.#commands.get(commandId);
      return exitCode === undefined ? {} : { exitCode };
    },
    deleteSession: () => Promise.resolve(),
  };

  readonly fs: DaytonaMachine['fs'] = {
    uploadFile: (content, path) => put(path, content),
    async downloadFile(path, localPath) {
      await mkdir(dirname(localPath), { recursive: true });
      await copyFile(path, localPath);
    },
  };

  getWorkDir(): Promise<string> {
    return Promise.resolve(this.root);
  }
}

/** Test double of `Daytona` from `@daytona/sdk`. */
export class DaytonaClientDouble implements DaytonaClient<DaytonaDouble> {
  constructor(config: object) {
    asked.created.push(config);
  }

  async create(params?: object): Promise<DaytonaDouble> {
    asked.created.push(params ?? {});
    return new DaytonaDouble(await makeRoot());
  }

  async delete(machine: DaytonaDouble): Promise<void> {
    asked.stopped += 1;
    await rm(machine.root, { recursive: true, force: true });
  }
}

/** Process of a proof's server: start, kill, and resident memory. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { bundledHost } from '../bundled-host.ts';

const HOST = new URL('proof-server-host.ts', import.meta.url);

/** Addresses and files of a server. */
export interface ProofServerOptions {
  readonly databaseUrl: string;
  readonly modelUrl: string;
  /** File of the tool's effects. */
  readonly effects: string;
  /** Folder of the program of all servers, and of their compile cache unless the suites have one. */
  readonly cache: string;
  /** @default false: without limits of requests and streams */
  readonly hasDefaultLimits?: boolean;
}

/** A running server. */
export interface ProofServer {
  readonly url: string;
  /** Resident memory in bytes. */
  memory(): Promise<number>;
  /** Processor time in milliseconds. */
  processorMs(): Promise<number>;
  /** Kills it without a chance to end anything. */
  kill(): Promise<void>;
}

/** Starts a server and waits until it listens. */
export async function startProofServer(options: ProofServerOptions): Promise<ProofServer> {
  const { databaseUrl, modelUrl, effects, cache, hasDefaultLimits = false } = options;
  const host = await bundledHost(HOST, cache);
  const child = fork(host, [databaseUrl, modelUrl, effects, hasDefaultLimits ? 'limited' : 'unlimited'], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? cache },
    // Not those of a worker of the suites.
    execArgv: [],
  });
  const url = await Promise.race([firstLine(child), ended(child)]);
  return {
    url,
    memory: async () => numberOf(child, 'memory'),
    processorMs: async () => numberOf(child, 'processor'),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function numberOf(child: ChildProcess, name: string): Promise<number> {
  const answered = once(child, 'message');
  child.send(name);
  const [value]: unknown[] = await answered;
  return Number(value);
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  const output: AsyncIterable<Uint8Array> | null = child.stdout;
  for await (const chunk of output ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('\n')) break;
  }
  return text.trim();
}

async function ended(child: ChildProcess): Promise<never> {
  await once(child, 'exit');
  throw new TypeError('The server ended before it listened.');
}

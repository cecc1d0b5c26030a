/**
 * Stdio transport to an MCP server that is started as a child process.
 *
 * The SDK's transport accepts no further `stdio` entries, so its child inherits open descriptors.
 * This transport covers them. It uses the SDK's environment and the same steps in `close()`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ReadBuffer,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import type { McpStderr } from './mcp-stderr.ts';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';

/** Grace period for a server to exit by itself, and again after SIGTERM. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Maximum time to read the rest of stderr after the end of a server. */
const STDERR_REST_MS = 200;

/** The program to start. */
export interface StdioServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the few variables that every server gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives its stderr. */
  readonly stderr: McpStderr;
}

/** Starts a program on `start()`, and exchanges one JSON message per line with it. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioServerOptions;
  readonly #received = new ReadBuffer();
  #server: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: StdioServerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { stderr } = this.#options;
    const server = startServer(this.#options);
    server.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
    // Rejects with the reason if the program cannot be started.
    await once(server, 'spawn');
    this.#server = server;
    this.#ended = endOf(server).then(() => {
      this.#server = undefined;
      stderr.end();
      this.onclose?.();
    });
    server.stdout?.on('data', (chunk: Buffer) => this.#receive(chunk));
    for (const emitter of [server, server.stdin, server.stdout, server.stderr]) {
      emitter?.on('error', (error: Error) => this.onerror?.(error));
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#server?.stdin;
    if (stdin?.writable === true && !stdin.write(serializeMessage(message))) await once(stdin, 'drain');
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#received.clear();
    if (server === undefined) return;
    server.stdin?.end();
    if (await this.#hasEnded()) return;
    server.kill('SIGTERM');
    if (!(await this.#hasEnded())) server.kill('SIGKILL');
  }

  async #hasEnded(): Promise<boolean> {
    const timeout = sleep(CLOSE_TIMEOUT_MS, false, { ref: false });
    return Promise.race([this.#ended.then(() => true), timeout]);
  }

  #receive(chunk: Buffer): void {
    try {
      this.#received.append(chunk);
      for (let message = this.#received.readMessage(); message !== null;) {
        this.onmessage?.(message);
        message = this.#received.readMessage();
      }
    } catch (error) {
      if (error instanceof Error) this.onerror?.(error);
    }
  }
}

/**
 * A process that the server started can keep its stderr open. This function does not wait for it.
 */
async function endOf(server: ChildProcess): Promise<void> {
  const closed = once(server, 'close');
  const ended = [once(server, 'exit'), ...(server.stdout === null ? [] : [once(server.stdout, 'close')])];
  await Promise.race([
    closed,
    Promise.all(ended).then(() => sleep(STDERR_REST_MS, undefined, { ref: false })),
  ]);
}

const running = new Set<ChildProcess>();

/** A server that ignores the end of its stdin must not outlive this process. */
function endAll(): void {
  for (const child of running) child.kill();
}

function startServer({ command, args, env }: StdioServerOptions): ChildProcess {
  const child = withPrivateDescriptors(3, (covers) =>
    spawn(command, args, {
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'pipe', ...covers],
      windowsHide: true,
    }),
  );
  if (running.size === 0) process.on('exit', endAll);
  running.add(child);
  child.once('close', () => {
    if (running.delete(child) && running.size === 0) process.off('exit', endAll);
  });
  return child;
}

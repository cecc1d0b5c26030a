/**
 * Stdio transport to an MCP server that is started as a child process.
 *
 * The SDK's transport takes no further `stdio` entries, so its child inherits open descriptors. Here
 * they are covered. The environment and the steps of `close()` are the SDK's.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ReadBuffer,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { execa } from 'execa';
import { withPrivateExecaDescriptors } from '../../host/inherited-descriptors.ts';

/** Time for a server to end by itself, and again after SIGTERM. */
const CLOSE_TIMEOUT_MS = 2_000;

/** The program to start. */
export interface StdioServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the few variables that every server gets. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a program on `start()`, and exchanges one JSON message per line with it. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioServerOptions;
  readonly #received = new ReadBuffer();
  #server: ReturnType<typeof startServer> | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: StdioServerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const server = startServer(this.#options);
    // A program that cannot be started has no id. The promise then rejects with the reason.
    if (server.pid === undefined) await server;
    this.#server = server;
    const onEnd = (): void => {
      this.#server = undefined;
      this.onclose?.();
    };
    this.#ended = server.then(onEnd, onEnd);
    server.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    for (const emitter of [server.stdin, server.stdout])
      emitter.on('error', (error: Error) => this.onerror?.(error));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#server?.stdin;
    if (stdin?.writable === true && !stdin.write(serializeMessage(message))) await once(stdin, 'drain');
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#received.clear();
    if (server === undefined) return;
    server.stdin.end();
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

function startServer({ command, args, env }: StdioServerOptions) {
  return withPrivateExecaDescriptors((covers) =>
    execa(command, args, {
      env: { ...getDefaultEnvironment(), ...env },
      extendEnv: false,
      stdio: ['pipe', 'pipe', 'ignore', ...covers],
      buffer: false,
      windowsHide: true,
    }),
  );
}

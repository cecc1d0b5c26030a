/** The engine of the proof: a running server, llama.cpp's own with real weights, or a made model. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running engine. */
export interface RunningEngine extends AsyncDisposable {
  readonly name: string;
  /** Base URL, with `/v1`. */
  readonly url: string;
  readonly model: string;
}

/** Program and weights of a llama-server. */
export interface EngineFiles {
  readonly program: string;
  readonly weights: string;
}

/** Beside the checkout, for machines that have it. */
const BESIDE = join(import.meta.dirname, '../../../shared/models/llama-server');
const LOADING_MS = 60_000;

/**
 * Finds `$TRUECAST_LLAMA_SERVER`, else `../shared/models/llama-server`, with a `.gguf` beside it.
 * Undefined without one.
 *
 * @param model - a file of weights instead of the one beside it
 */
export function findEngine(
  environment: Readonly<Record<string, string | undefined>>,
  model?: string,
): EngineFiles | undefined {
  const program = environment['TRUECAST_LLAMA_SERVER'] ?? BESIDE;
  if (!existsSync(program)) return undefined;
  if (model !== undefined) return { program, weights: model };
  const folder = dirname(program);
  const weights = readdirSync(folder).find((name) => name.endsWith('.gguf'));
  return weights === undefined ? undefined : { program, weights: join(folder, weights) };
}

/** How an engine starts. */
export interface StartOptions {
  /** @default 4096 */
  readonly contextTokens?: number;
  /**
   * Threads of the engine. Several wait for each other without sleeping: on a busy machine, two wrote
   * hardly one token in a second, and one wrote twenty. @default 1
   */
  readonly threads?: number;
  /** More flags of llama-server. */
  readonly extra?: readonly string[];
  /** Called with its messages. */
  onStderr?(text: string): void;
}

/** Starts a llama-server on a free port, and waits until it has loaded its weights. */
export async function startEngine(
  { program, weights }: EngineFiles,
  { contextTokens = 4_096, threads = 1, extra = [], onStderr }: StartOptions = {},
): Promise<RunningEngine> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const flags = ['-m', weights, '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(
    program,
    [...flags, '-c', String(contextTokens), '-np', '1', '-t', String(threads), '--jinja', ...extra],
    { stdio: ['ignore', 'ignore', onStderr === undefined ? 'ignore' : 'pipe'] },
  );
  child.stderr?.setEncoding('utf8').on('data', (text: string) => onStderr?.(text));
  const end = once(child, 'close');
  // A test that runs out of time ends its worker, and nothing else would end the engine.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    kill();
    await end;
  };
  for (const from = Date.now(); Date.now() - from < LOADING_MS; await sleep(100)) {
    const isLoaded = await fetch(`${origin}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isLoaded) {
      return { name: 'llama-server', url: `${origin}/v1`, model: 'smollm2', [Symbol.asyncDispose]: stop };
    }
    if (child.exitCode !== null) break;
  }
  await stop();
  throw new Error(`The engine ${program} did not load ${weights}.`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo; // a listening TCP server has one
  probe.close();
  await once(probe, 'close');
  return port;
}

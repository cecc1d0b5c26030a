/** Owns the agent's process under the bridge: a group of its own, that ends with the bridge. */
import { spawn, type ChildProcess } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** A started agent. */
export interface AgentProcess {
  /** What the agent reads. */
  readonly input: WritableStream<Uint8Array>;
  /** What the agent prints. */
  readonly output: ReadableStream<Uint8Array>;
  /** Resolves to a text that says how it ended. */
  readonly ended: Promise<string>;
  /** Ends its input, then the whole group. */
  end(): Promise<void>;
}

/** How long an agent whose work is done may take to end by itself, and then to end when told. */
const GRACE_MS = 2_000;

/** Starts the agent; its stderr is the bridge's. */
export function startAgent(command: string): AgentProcess {
  const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`it could not be started (${error.message})`));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `it exited with code ${code ?? 1}` : `it was ended by ${signal}`),
    );
  });
  const kill = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', kill);
  // An agent that is gone breaks the pipe under a write.
  child.stdin.on('error', () => undefined);
  return {
    input: Writable.toWeb(child.stdin),
    output: Readable.toWeb(child.stdout),
    ended,
    async end() {
      child.stdin.end();
      await Promise.race([ended, delay(GRACE_MS, undefined, { ref: false })]);
      signalGroup(child, 'SIGTERM');
      await Promise.race([ended, delay(GRACE_MS, undefined, { ref: false })]);
      kill();
      process.removeListener('exit', kill);
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing is left of it.
  }
}

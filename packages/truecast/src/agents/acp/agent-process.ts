/** Agent process of the bridge, in its own process group that ends with the bridge. */
import { spawn, type ChildProcess } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

export interface AgentProcess {
  /** The agent's stdin. */
  readonly input: WritableStream<Uint8Array>;
  /** The agent's stdout. */
  readonly output: ReadableStream<Uint8Array>;
  /** Resolves when the process ends, to a description of its exit. */
  readonly ended: Promise<string>;
  /** Closes stdin, then ends the whole process group. */
  end(): Promise<void>;
}

/** Grace period for a finished agent to exit by itself, and again after SIGTERM. */
const GRACE_MS = 2_000;

/** Starts the agent. Its stderr is the bridge's stderr. */
export function startAgent(command: string): AgentProcess {
  const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`it could not be started (${error.message})`));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `it exited with code ${code ?? 1}` : `it was killed by ${signal}`),
    );
  });
  const kill = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', kill);
  // A write to an exited agent fails with a broken pipe.
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
    // The process group no longer exists.
  }
}

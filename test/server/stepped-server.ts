/** Owns servers in processes of their own that are led from commit to commit, and killed at one of them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const HOST = new URL('stepping-server-host.ts', import.meta.url);

/** A server in a process of its own. */
export interface SteppedServer {
  readonly url: string;
  kill(): Promise<void>;
}

/** Leads several servers together. */
export interface Stepper {
  /** What was reached so far, in order. */
  readonly points: readonly string[];
  /** The server that stands still at the point it was to be killed at. */
  readonly stopped: Promise<SteppedServer>;
  start(): Promise<SteppedServer>;
}

/** What a stepper is made with. */
export interface StepperOptions {
  readonly storeUrl: string;
  readonly modelUrl: string;
  /** For the effects of tools. */
  readonly effects: string;
  /** For what servers compiled, shared by all. */
  readonly cache: string;
  /** Number of the point, of any of the servers, at which one is left standing; 0 for none. */
  readonly stopAt: number;
}

/** Makes a stepper; no server runs yet. */
export function createStepper({ storeUrl, modelUrl, effects, cache, stopAt }: StepperOptions): Stepper {
  const points: string[] = [];
  const stopped = Promise.withResolvers<SteppedServer>();
  const start = async (): Promise<SteppedServer> => {
    const child = spawn(process.execPath, [HOST.pathname, storeUrl, modelUrl, effects], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
    });
    const ready = Promise.withResolvers<string>();
    const server = ready.promise.then((url) => ({ url, kill: () => kill(child) }));
    // It was killed while it stood still.
    child.stdin.on('error', () => undefined);
    child.once('exit', () => ready.reject(new TypeError('The server ended before it was ready.')));
    const take = (line: string): void => {
      const [, kind = '', what = ''] = /^(\w+): (.*)$/u.exec(line) ?? [];
      if (kind === 'ready') return ready.resolve(what);
      points.push(`${kind}: ${what}`);
      if (points.length === stopAt) stopped.resolve(server);
      else child.stdin.write('\n');
    };
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(take);
    });
    return server;
  };
  return { points, stopped: stopped.promise, start };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Steps server processes from commit to commit, and kills one at a chosen commit. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { bundledHost } from '../bundled-host.ts';

const HOST = new URL('stepping-server-host.ts', import.meta.url);

/** A server in a separate process. */
export interface SteppedServer {
  readonly url: string;
  kill(): Promise<void>;
}

/** Steps several servers together. */
export interface Stepper {
  /** Points reached so far, in order. */
  readonly points: readonly string[];
  /** The server that is paused at its kill point. */
  readonly stopped: Promise<SteppedServer>;
  start(): Promise<SteppedServer>;
}

/** Options of a stepper. */
export interface StepperOptions {
  readonly storeUrl: string;
  readonly modelUrl: string;
  /** For the effects of tools. */
  readonly effects: string;
  /** Compile cache shared by all servers. */
  readonly cache: string;
  /** Returns true after the point, over all servers, at which one stays paused. */
  readonly stopsAt: (points: readonly string[]) => boolean;
}

/** Creates a stepper. No server runs yet. */
export function createStepper({ storeUrl, modelUrl, effects, cache, stopsAt }: StepperOptions): Stepper {
  const points: string[] = [];
  const stopped = Promise.withResolvers<SteppedServer>();
  const start = async (): Promise<SteppedServer> => {
    const child = spawn(process.execPath, [await bundledHost(HOST), storeUrl, modelUrl, effects], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
    });
    const ready = Promise.withResolvers<string>();
    const server = ready.promise.then((url) => ({ url, kill: () => kill(child) }));
    // It was killed while paused.
    child.stdin.on('error', () => undefined);
    child.once('exit', () => ready.reject(new TypeError('The server ended before it was ready.')));
    const take = (line: string): void => {
      const [, kind = '', what = ''] = /^(\w+): (.*)$/u.exec(line) ?? [];
      if (kind === 'ready') return ready.resolve(what);
      points.push(`${kind}: ${what}`);
      if (stopsAt(points)) stopped.resolve(server);
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

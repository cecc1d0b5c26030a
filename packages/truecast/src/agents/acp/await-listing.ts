/**
 * Wait of the bridge before a prompt: until the agent has listed the tools of the run's server. Agents
 * start servers beside their first turn, and a turn that begins earlier has no tools.
 */
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { McpServerCommand } from '../../ports/agent-provider.ts';
import { createStartMark } from './start-mark.ts';

/** Reports of a watch socket. Each promise resolves at the first report, and never rejects. */
export interface ServerWatch {
  /** The host reports each later step of the agent. */
  readonly accepted: Promise<void>;
  readonly started: Promise<void>;
  readonly listed: Promise<void>;
  /** The last report has arrived. */
  readonly lost: Promise<void>;
  close(): void;
}

/** Connects to the watch socket of a server. */
export function watchServer(path: string): ServerWatch {
  const accepted = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const listed = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<void>();
  const reports: Readonly<Record<string, () => void>> = {
    accepted: accepted.resolve,
    started: started.resolve,
    listed: listed.resolve,
  };
  const socket = createConnection(path);
  // In a sandbox without the socket, the prompt does not wait. The reader repeats errors of its input.
  createInterface({ input: socket })
    .on('line', (line) => reports[line]?.())
    .on('error', () => lost.resolve());
  socket.on('error', () => lost.resolve()).on('close', () => lost.resolve());
  return {
    accepted: accepted.promise,
    started: started.promise,
    listed: listed.promise,
    lost: lost.promise,
    close: () => socket.destroy(),
  };
}

/**
 * Limits of the time for an agent to start the server after its session is open. An agent that starts
 * servers only with a prompt waits for it in each turn.
 */
const MIN_START_MS = 2_000;
const MAX_START_MS = 10_000;

/** Time for a started server to be listed. */
export const LISTING_MS = 30_000;

export interface ListingWait {
  /** Time that the agent needed to open its session. A machine that is slow for this is slow for a start. */
  readonly openedMs: number;
  /** Returns true if the agent has started the server, which might not have connected yet. */
  readonly isStarted: () => boolean;
  /** Resolves when the agent has exited. */
  readonly ended: Promise<void>;
  /** Resolves after a time. @default a timer */
  readonly sleep?: (ms: number) => Promise<void>;
}

/** End of a wait. */
export type ListingOutcome = 'listed' | 'lazy' | 'late' | 'gone';

/**
 * Waits until the agent has the tools. Returns `lazy` if it did not start the server, `late` if it
 * started the server and did not list its tools in time, and `gone` if there is nothing to wait for.
 */
export async function untilListed(
  watch: ServerWatch,
  { openedMs, isStarted, ended, sleep = timer }: ListingWait,
): Promise<ListingOutcome> {
  const listed = watch.listed.then(() => 'listed' as const);
  const gone = Promise.race([watch.lost, ended]).then(() => 'gone' as const);
  const began = await Promise.race([
    listed,
    watch.started.then(() => 'started' as const),
    gone,
    sleep(Math.min(Math.max(MIN_START_MS, openedMs), MAX_START_MS)).then(() =>
      isStarted() ? ('started' as const) : ('lazy' as const),
    ),
  ]);
  if (began !== 'started') return began;
  return Promise.race([listed, gone, sleep(LISTING_MS).then(() => 'late' as const)]);
}

/** Servers of a session, and the wait for their tools. */
export interface ToolWatch {
  /** Commands of the servers for the agent. */
  readonly servers: readonly McpServerCommand[];
  /** Resolves when the host reports starts of the servers. The agent can start one once it knows of it. */
  readonly ready: Promise<void>;
  untilListed(wait: Pick<ListingWait, 'openedMs' | 'ended'>): Promise<ListingOutcome>;
  close(): void;
}

/** Watches the server that has a watch socket. A run has at most one. The caller closes it. */
export function watchTools(servers: readonly McpServerCommand[]): ToolWatch {
  const path = servers.map(({ watchSocket }) => watchSocket).find((each) => each !== undefined);
  if (path === undefined) {
    return {
      servers,
      ready: Promise.resolve(),
      untilListed: () => Promise.resolve('gone'),
      close: () => undefined,
    };
  }
  const watch = watchServer(path);
  const mark = createStartMark();
  return {
    servers: servers.map((server) => mark.wrap(server)),
    ready: Promise.race([watch.accepted, watch.lost]),
    untilListed: (wait) =>
      untilListed(watch, { ...wait, isStarted: () => mark.isMade }).finally(() => watch.close()),
    close() {
      watch.close();
      mark.remove();
    },
  };
}

/** Does not keep the process alive. */
function timer(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false });
}

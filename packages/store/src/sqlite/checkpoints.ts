/**
 * Checkpoints of a SQLite file on a thread: the event loop does not move pages or wait for the two
 * syncs of each checkpoint.
 */
import { Worker } from 'node:worker_threads';
import { closedError } from '../database/own-errors.ts';
import type { SqliteLane } from './sqlite-lane.ts';

/**
 * Request of a checkpoint. `passive` waits for no other connection. `restart` then moves the rest,
 * so that the next writer restarts the WAL. It waits for other users of the file. `end` closes the
 * thread.
 */
export type CheckpointRequest = 'passive' | 'restart' | 'end';

export interface CheckpointReply {
  /** Number of pages in the WAL. */
  readonly pages: number;
}

/** Sizes that start a checkpoint. */
export interface CheckpointSizes {
  /** Commits since the last checkpoint. */
  readonly commits: number;
  /** Growth of the WAL since the last checkpoint. A restarted WAL does not grow. */
  readonly bytes: number;
  /** Number of pages at which the WAL restarts. Until then, writers never wait. */
  readonly restartPages: number;
}

/** About 1,000 pages, like SQLite's own default, and a WAL of about 16 MB. */
const SIZES: CheckpointSizes = { commits: 100, bytes: 4 * 1024 * 1024, restartPages: 4_000 };

/**
 * Threshold of SQLite's own checkpoints, in pages. They run in a commit, only if the thread does
 * not work.
 */
export const LATE_CHECKPOINT_PAGES = 20_000;

const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './checkpoint-thread.ts' : './checkpoint-thread.mjs',
  import.meta.url,
);

/** Checkpoints of one file. The thread starts with the first one. */
export class Checkpoints {
  readonly #path: string;
  readonly #writer: Pick<SqliteLane, 'take' | 'giveBack'>;
  readonly #sizes: CheckpointSizes;
  #thread: CheckpointThread | undefined;
  #isRunning = false;
  #isOver = false;
  #commits = 0;
  #bytes = 0;

  constructor(path: string, writer: Pick<SqliteLane, 'take' | 'giveBack'>, sizes: CheckpointSizes = SIZES) {
    this.#path = path;
    this.#writer = writer;
    this.#sizes = sizes;
  }

  /** Call it after each sync of the WAL, with the number of commits so far and the WAL's size. */
  synced(commits: number, bytes: number): void {
    // Another connection can have truncated the WAL.
    this.#bytes = Math.min(this.#bytes, bytes);
    const isDue = commits - this.#commits >= this.#sizes.commits || bytes - this.#bytes >= this.#sizes.bytes;
    if (!isDue || this.#isRunning || this.#isOver) return;
    [this.#commits, this.#bytes] = [commits, bytes];
    this.#isRunning = true;
    void this.#run().then(
      () => (this.#isRunning = false),
      // The WAL stays, and SQLite's own checkpoints run again.
      () => (this.#isOver = true),
    );
  }

  /** Ends the thread after a running checkpoint. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#thread?.end();
  }

  async #run(): Promise<void> {
    const thread = (this.#thread ??= startThread(this.#path));
    const { pages } = await thread.ask('passive');
    if (pages < this.#sizes.restartPages) return;
    // While others write, the WAL keeps growing. The writer is taken for the rest, so that they
    // wait and the event loop continues.
    await this.#writer.take();
    try {
      await thread.ask('restart');
    } finally {
      this.#writer.giveBack();
    }
  }
}

interface CheckpointThread {
  ask(request: CheckpointRequest): Promise<CheckpointReply>;
  end(): Promise<void>;
}

function startThread(path: string): CheckpointThread {
  const thread = new Worker(PROGRAM, {
    workerData: path,
    // The main thread has already printed this warning.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  let answer: (reply: CheckpointReply | undefined) => void = () => undefined;
  let awaited = 0;
  // An idle thread does not keep the process alive. One with a pending reply does.
  const keptAlive = async <T>(reply: Promise<T>): Promise<T> => {
    awaited += 1;
    thread.ref();
    try {
      return await reply;
    } finally {
      awaited -= 1;
      if (awaited === 0) thread.unref();
    }
  };
  const gone = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  // The thread sends only this message.
  thread.on('message', (reply: CheckpointReply) => answer(reply));
  // An error ends the thread.
  thread.on('error', () => undefined);
  return {
    ask: async (request) => {
      const replied = new Promise<CheckpointReply | undefined>((resolve) => (answer = resolve));
      thread.postMessage(request);
      const reply = await keptAlive(Promise.race([replied, gone]));
      if (reply === undefined) throw closedError();
      return reply;
    },
    end: () => {
      thread.postMessage('end' satisfies CheckpointRequest);
      return keptAlive(gone);
    },
  };
}

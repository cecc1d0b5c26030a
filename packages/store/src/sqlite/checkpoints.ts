/**
 * Checkpoints of a SQLite file on a thread: the event loop neither moves pages nor waits for the
 * two syncs that each checkpoint needs.
 */
import { Worker } from 'node:worker_threads';
import { closedError } from '../database/own-errors.ts';
import type { SqliteLane } from './sqlite-lane.ts';

/**
 * Request of a checkpoint. `passive` waits for nobody. `restart` then moves the rest and lets the
 * next writer begin the WAL anew: it waits for other users of the file. `end` closes the thread.
 */
export type CheckpointRequest = 'passive' | 'restart' | 'end';

/** Result of a checkpoint. */
export interface CheckpointReply {
  /** Pages that the WAL has. */
  readonly pages: number;
}

/** Sizes that start a checkpoint. */
export interface CheckpointSizes {
  /** Commits since the last one. */
  readonly commits: number;
  /** Growth of the WAL since the last one. A WAL that began anew does not grow. */
  readonly bytes: number;
  /** Pages of the WAL from which it begins anew. Until then, writers never wait. */
  readonly restartPages: number;
}

/** About 1,000 pages, as SQLite's own default, and a WAL of about 16 MB. */
const SIZES: CheckpointSizes = { commits: 100, bytes: 4 * 1024 * 1024, restartPages: 4_000 };

/** SQLite's own checkpoints, in pages. They run in a commit, only if the thread does not work. */
export const LATE_CHECKPOINT_PAGES = 20_000;

const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './checkpoint-thread.ts' : './checkpoint-thread.mjs',
  import.meta.url,
);

/** Checkpoints of one file. The thread starts with the first of them. */
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
    // Something truncated it.
    this.#bytes = Math.min(this.#bytes, bytes);
    const isDue = commits - this.#commits >= this.#sizes.commits || bytes - this.#bytes >= this.#sizes.bytes;
    if (!isDue || this.#isRunning || this.#isOver) return;
    [this.#commits, this.#bytes] = [commits, bytes];
    this.#isRunning = true;
    void this.#run().then(
      () => (this.#isRunning = false),
      // The WAL stays, and SQLite's own checkpoints come back.
      () => (this.#isOver = true),
    );
  }

  /** Ends the thread. A checkpoint that runs is finished first. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#thread?.end();
  }

  async #run(): Promise<void> {
    const thread = (this.#thread ??= startThread(this.#path));
    const { pages } = await thread.ask('passive');
    if (pages < this.#sizes.restartPages) return;
    // While others write, a WAL has no end. They wait for the rest, and the loop goes on.
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
    // Whoever opened the store has seen the warning.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  let answer: (reply: CheckpointReply | undefined) => void = () => undefined;
  const gone = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  // The only message of the thread.
  thread.on('message', (reply: CheckpointReply) => answer(reply));
  // An error ends the thread.
  thread.on('error', () => undefined);
  return {
    ask: async (request) => {
      const replied = new Promise<CheckpointReply | undefined>((resolve) => (answer = resolve));
      // A checkpoint keeps the process alive, an idle thread does not.
      thread.ref();
      thread.postMessage(request);
      const reply = await Promise.race([replied, gone]);
      thread.unref();
      if (reply === undefined) throw closedError();
      return reply;
    },
    end: () => {
      thread.ref();
      thread.postMessage('end' satisfies CheckpointRequest);
      return gone;
    },
  };
}

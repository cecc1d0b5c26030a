/**
 * Group sync of a SQLite file: commits that wait at the same time share one `fdatasync` of the WAL,
 * on the thread pool.
 *
 * commit (in the page cache, number n) → sync of everything up to n → acknowledged.
 *
 * The file system keeps the order, so a sync covers every earlier commit of any process.
 */
import { closeSync, fdatasync, fstatSync, openSync, statSync } from 'node:fs';
import { StoreError } from '@truecast/core/internal/errors/store-error';

interface Waiting {
  readonly number: number;
  readonly resolve: () => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * Syncs of one file. No write is acknowledged, and no read returns, before its commits are on disk.
 */
export class WalSync {
  readonly #path: string;
  readonly #hasForeignCommit: () => boolean;
  readonly #onSynced: (commits: number, bytes: number) => void;
  #file: number | undefined;
  /** Number of the last commit. */
  #written = 0;
  /** Number of the last commit that a finished or running sync covers. */
  #begun = 0;
  /** Number of the last commit on disk. */
  #synced = 0;
  #waiting: Waiting[] = [];
  #isSyncing = false;
  #isScheduled = false;
  #failure: StoreError | undefined;

  /**
   * @param path - the database file. Its WAL exists, because connections to it are open
   * @param hasForeignCommit - returns true if another process has committed since the last call.
   *   Such a commit can be visible here before it is on disk
   * @param onSynced - called after each sync, with the number of commits so far and the WAL's size
   */
  constructor(
    path: string,
    hasForeignCommit: () => boolean,
    onSynced: (commits: number, bytes: number) => void,
  ) {
    this.#path = `${path}-wal`;
    this.#hasForeignCommit = hasForeignCommit;
    this.#onSynced = onSynced;
  }

  /** Counts a commit. Call it in the same task, before any read can see the commit. */
  wrote(): void {
    this.#written += 1;
  }

  /**
   * Resolves when every commit so far is on disk. Commits during a sync share the next one.
   *
   * @throws StoreError `write-failed` after the first failed sync. The kernel can have discarded
   *   the data, and a second sync would succeed without it
   */
  async durable(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    // A sync that begins from now on covers the commits of all processes.
    if (this.#written === this.#begun && this.#hasForeignCommit()) this.wrote();
    if (this.#written === this.#synced) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ number: this.#written, resolve, reject });
    this.#schedule();
    await promise;
  }

  /** Waits for the last sync and closes the file. */
  async close(): Promise<void> {
    await this.durable().catch(() => undefined);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Syncs after the events of this turn of the event loop, so that their commits share one sync. */
  #schedule(): void {
    if (this.#isSyncing || this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#sync();
    });
  }

  #sync(): void {
    const upTo = this.#written;
    try {
      const { file, bytes } = this.#openFile();
      fdatasync(file, (error) => this.#end(error, upTo, bytes));
      this.#isSyncing = true;
      this.#begun = upTo;
    } catch (error) {
      this.#fail(error);
    }
  }

  #end(error: unknown, upTo: number, bytes: number): void {
    this.#isSyncing = false;
    if (error !== null) return this.#fail(error);
    this.#synced = upTo;
    const ready = this.#waiting.filter(({ number }) => number <= upTo);
    this.#waiting = this.#waiting.filter(({ number }) => number > upTo);
    for (const { resolve } of ready) resolve();
    this.#schedule();
    this.#onSynced(upTo, bytes);
  }

  #fail(cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const failure = new StoreError(
      `Could not sync \`${this.#path}\`: ${reason}. The last changes can be lost. Check the disk, then restart the process.`,
      { code: 'write-failed', cause },
    );
    this.#failure = failure;
    for (const { reject } of this.#waiting.splice(0)) reject(failure);
  }

  /**
   * Opens the WAL, which has no locks. Closing another file of the database would release SQLite's
   * locks.
   */
  #openFile(): { readonly file: number; readonly bytes: number } {
    const { ino, size } = statSync(this.#path);
    if (this.#file === undefined || fstatSync(this.#file).ino !== ino) {
      if (this.#file !== undefined) closeSync(this.#file);
      this.#file = openSync(this.#path, 'r+');
    }
    return { file: this.#file, bytes: size };
  }
}

/** Sink for the content of LFS objects: `<size>\n<bytes>` for each name, in the order of the names. */
import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { type ByteSink, refusedStream } from './read-stream.ts';

/** Limits on the sum of all objects. */
export interface LfsLimits {
  readonly maxLfsBytes: number;
}

const MAX_SIZE_DIGITS = 16;

/** Writes each object to a file with its name. `end` returns the number of bytes of all objects. */
export class LfsSink implements ByteSink<number> {
  readonly #folder: string;
  readonly #ids: readonly string[];
  readonly #limits: LfsLimits;
  #waiting: Buffer = Buffer.alloc(0);
  #next = 0;
  #total = 0;
  #object: { readonly file: FileHandle; readonly hash: Hash; left: number } | undefined;

  constructor(folder: string, ids: readonly string[], limits: LfsLimits) {
    this.#folder = folder;
    this.#ids = ids;
    this.#limits = limits;
  }

  async push(chunk: Buffer): Promise<void> {
    this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    while (this.#waiting.length > 0) {
      if (this.#object !== undefined) await this.#write();
      else if (!(await this.#begin())) return;
    }
  }

  async end(): Promise<number | undefined> {
    const isWhole = this.#next === this.#ids.length && this.#object === undefined;
    return Promise.resolve(isWhole ? this.#total : undefined);
  }

  /** Closes the file of an incomplete object. Otherwise it does nothing. */
  async close(): Promise<void> {
    await this.#object?.file.close();
    this.#object = undefined;
  }

  /** Returns false while the line with the size is incomplete. */
  async #begin(): Promise<boolean> {
    const end = this.#waiting.indexOf('\n');
    const size = this.#waiting.toString('latin1', 0, end === -1 ? undefined : end);
    const id = this.#ids[this.#next];
    if (id === undefined || size.length > MAX_SIZE_DIGITS || !/^\d*$/u.test(size)) {
      throw refusedStream('its list of LFS objects is invalid');
    }
    if (end === -1) return false;
    const left = Number(size);
    this.#total += left;
    const { maxLfsBytes } = this.#limits;
    if (this.#total > maxLfsBytes) {
      throw refusedStream(`its LFS objects are larger than ${maxLfsBytes} bytes`);
    }
    this.#waiting = this.#waiting.subarray(end + 1);
    this.#object = { file: await open(join(this.#folder, id), 'wx'), hash: createHash('sha256'), left };
    // An empty object has no further bytes to wait for.
    if (left === 0) await this.#finish(id);
    return true;
  }

  async #write(): Promise<void> {
    const object = this.#object;
    if (object === undefined) return;
    const data = this.#waiting.subarray(0, object.left);
    this.#waiting = this.#waiting.subarray(data.length);
    object.left -= data.length;
    object.hash.update(data);
    await object.file.writeFile(data);
    if (object.left === 0) await this.#finish(this.#ids[this.#next] ?? '');
  }

  async #finish(id: string): Promise<void> {
    const digest = this.#object?.hash.digest('hex');
    await this.close();
    if (digest !== id) throw refusedStream(`the content of the LFS object ${id} does not match its id`);
    this.#next += 1;
  }
}

/** Sink for the bytes of a guest's stream: text up to `pack`, then a pack that git reads. */
import { feedGit, type FedGit } from './feed-git.ts';
import { PACK_FOLLOWS } from '../store/final-script.ts';
import { parseGuestState, type GuestState } from './guest-state.ts';
import { readKnown, type GuestStore, type KnownReferences } from '../store/guest-store.ts';
import { incomingCall } from './incoming-call.ts';
import { refusedStream } from './read-stream.ts';

export interface SinkLimits {
  readonly maxTextBytes: number;
  readonly maxPackBytes: number;
}

/** With this number of objects or more, one pack is better than many loose files. */
const MANY_OBJECTS = 100;
const PACK_HEADER_BYTES = 12;

/**
 * Accepts one stream, chunk by chunk. Every method throws SandboxError `sync` for rejected content.
 */
export class StreamSink {
  readonly #store: GuestStore;
  readonly #limits: SinkLimits;
  readonly #known: KnownReferences;
  #waiting: Buffer = Buffer.alloc(0);
  #state: GuestState | undefined;
  #unpacking: FedGit | undefined;
  #isPackBegun = false;
  #packBytes = 0;

  /** `unpacking` was started while the guest still works or prints its text. It waits for a pack. */
  constructor(store: GuestStore, unpacking: FedGit, limits: SinkLimits) {
    this.#store = store;
    this.#limits = limits;
    this.#known = readKnown(store);
    this.#unpacking = unpacking;
  }

  /** Resolves when the next chunk can come. */
  async push(chunk: Buffer): Promise<void> {
    this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    if (this.#state === undefined) this.#readText();
    if (this.#state !== undefined && !this.#isPackBegun) this.#readHeader();
    if (this.#isPackBegun && this.#waiting.length > 0) await this.#feed();
  }

  /**
   * Returns the state after git has accepted the whole pack. Undefined if the text is incomplete.
   */
  async end(): Promise<GuestState | undefined> {
    const text = this.#state === undefined ? this.#waiting.toString() : '';
    // A guest that changed nothing sends no pack.
    if (text.endsWith('none\n')) this.#state = parseGuestState(text, this.#known);
    if (this.#state?.isUnchanged === true) return this.#state;
    if (!this.#isPackBegun) return undefined;
    const failure = await this.#unpacking?.end();
    this.#unpacking = undefined;
    if (failure !== undefined) {
      throw refusedStream('git rejected one of its objects', { stderrTail: failure });
    }
    return this.#state;
  }

  /** Kills git if the stream failed. After `end` it does nothing. */
  abandon(): void {
    this.#unpacking?.kill();
  }

  #readText(): void {
    const { maxTextBytes } = this.#limits;
    const end = this.#waiting.indexOf(PACK_FOLLOWS);
    const bytes = end === -1 ? this.#waiting.length : end;
    if (bytes > maxTextBytes) throw refusedStream(`its text is longer than ${maxTextBytes} bytes`);
    if (end === -1) return;
    this.#state = parseGuestState(this.#waiting.toString('utf8', 0, end), this.#known);
    this.#waiting = this.#waiting.subarray(end + PACK_FOLLOWS.length);
  }

  #readHeader(): void {
    if (this.#waiting.length < PACK_HEADER_BYTES) return;
    if (this.#waiting.toString('latin1', 0, 4) !== 'PACK') throw refusedStream('it sent no pack');
    const count = this.#waiting.readUInt32BE(8);
    this.#isPackBegun = true;
    if (count > 0 && count < MANY_OBJECTS) return;
    this.#unpacking?.kill();
    this.#unpacking = count === 0 ? undefined : startIndexPack(this.#store, this.#limits);
  }

  async #feed(): Promise<void> {
    const data = this.#waiting;
    const { maxPackBytes } = this.#limits;
    this.#waiting = Buffer.alloc(0);
    this.#packBytes += data.length;
    if (this.#packBytes > maxPackBytes) throw refusedStream(`its pack is larger than ${maxPackBytes} bytes`);
    await this.#unpacking?.write(data);
  }
}

/** Returns the arguments that unpack a small pack from stdin. */
export function unpackArgs(maxPackBytes: number): readonly string[] {
  return ['unpack-objects', '-q', '--strict', `--max-input-size=${maxPackBytes}`];
}

function startIndexPack(store: GuestStore, { maxPackBytes }: Pick<SinkLimits, 'maxPackBytes'>): FedGit {
  const args = ['index-pack', '--stdin', '--fix-thin', '--strict', `--max-input-size=${maxPackBytes}`];
  return feedGit(args, incomingCall(store));
}

/** One execution of a run in this process: its reports, its stop, and its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type {
  AgentExecutor,
  ExecutionEnding,
  RunFailure,
  RunNote,
  RunReport,
  ExecutionStop,
} from '../agent-executor.ts';
import type { RunBlob } from '../run-blob.ts';
import { EVENT_LIMITS, type NewRunEvent } from '../run-event.ts';
import type { RunMachine } from '../state/run-machine.ts';
import type { HeldRun, NotedWork } from '../state/run-work.ts';

export interface ExecutionPorts {
  readonly machine: Pick<RunMachine, 'note' | 'readBlob' | 'endRun' | 'endLost' | 'leave'>;
  readonly executor: Pick<AgentExecutor, 'execute'>;
  /** Called before a run is left that the executor stopped by itself. */
  readonly onLeave: () => void;
  /** Called with a fault of the executor or the database. */
  readonly onFault: (message: string, cause: unknown) => void;
}

/** Time for which events are joined before they are stored. */
const JOIN_MS = 250;
/** Tries of an end with artifacts, and of each alone. The end itself is tried until it is stored. */
const ARTIFACT_TRIES = 3;
/** Number of joined events that are stored without a wait. */
const MOST_JOINED = 100;
/** Pauses while the database is away. The worker keeps the result of its agent. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 10_000;

/** A run that this process executes. */
export class ActiveRun {
  readonly #ports: ExecutionPorts;
  readonly #held: HeldRun;
  readonly #stop = new AbortController();
  /** True if this process ends, or if another worker has the run. A cancellation can come before. */
  #mustLeave = false;
  #events: NewRunEvent[] = [];
  /** Length of all texts of this execution. */
  #textChars = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The notes of a run are stored one after the other. */
  #notes: Promise<void> = Promise.resolve();
  /** Joined notes that are not stored, and their promise. */
  #waiting: RunNote | undefined;
  #joined: PromiseWithResolvers<void> | undefined;

  constructor(ports: ExecutionPorts, held: HeldRun) {
    this.#ports = ports;
    this.#held = held;
  }

  get fence(): HeldRun['fence'] {
    return this.#held.fence;
  }

  /** Asks the executor to stop. The first reason counts. The end of a lost run is not tried again. */
  stop(reason: ExecutionStop): void {
    this.#mustLeave ||= reason !== 'canceled';
    if (!this.#stop.signal.aborted) this.#stop.abort(reason);
  }

  /** Executes the run to its end. Never rejects. */
  async run(): Promise<void> {
    let ending = await this.#execute();
    let pauseMs = FIRST_PAUSE_MS;
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#end(ending);
        return;
      } catch (cause) {
        if (isOthers(cause)) return;
        this.#ports.onFault('The end of a run was not stored. It is tried again.', cause);
        const isLast = this.#mustLeave && (ending.artifacts ?? []).length === 0;
        if (isLast) return;
        if (this.#mustLeave || tries === ARTIFACT_TRIES) ending = await this.#withoutArtifacts(ending);
        await sleep(this.#mustLeave ? 0 : pauseMs);
        pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
      }
    }
  }

  /** Stores the artifacts one by one, so that one does not prevent the others. Each failure is a warning. */
  async #withoutArtifacts({
    artifacts = [],
    onStored,
    ...ending
  }: ExecutionEnding): Promise<ExecutionEnding> {
    const warnings = [...(ending.warnings ?? [])];
    for (const blob of artifacts) {
      const error = await this.#tryToStore(blob);
      if (error !== undefined) warnings.push(notStored(blob.name, error));
    }
    const isWhole = warnings.length === (ending.warnings ?? []).length;
    return { ...ending, warnings, ...(isWhole && onStored !== undefined && { onStored }) };
  }

  /** Returns the error of the last try. */
  async #tryToStore(blob: RunBlob): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#store({ blobs: [blob] });
        return undefined;
      } catch (error) {
        if (!StoreError.isInstance(error) || this.#mustLeave || tries >= ARTIFACT_TRIES) return error;
      }
      await sleep(FIRST_PAUSE_MS);
    }
  }

  async #execute(): Promise<ExecutionEnding> {
    const report: RunReport = {
      signal: this.#stop.signal,
      note: (note, { isJoined = false } = {}) => (isJoined ? this.#join(note) : this.#store(note)),
      readBlob: (name, of) => this.#readBlob(name, of),
      event: (event) => this.#add(event),
    };
    try {
      return await this.#ports.executor.execute(this.#held.claimed, report);
    } catch (cause) {
      if (this.#stop.signal.aborted) return { status: 'stopped' };
      this.#ports.onFault('The execution of a run failed because of a server error.', cause);
      return { status: 'failed', error: INTERNAL };
    }
  }

  async #readBlob(name: string, of: 'run' | 'parent' = 'run'): Promise<RunBlob | undefined> {
    const { id, owner, parentId } = this.#held.claimed;
    const runId = of === 'run' ? id : parentId;
    if (runId === undefined) return undefined;
    try {
      return await this.#ports.machine.readBlob({ owner, runId, name });
    } catch (error) {
      if (RequestRefusedError.isInstance(error)) return undefined;
      throw error;
    }
  }

  /** Stores the end, with the artifacts and the notes that wait, in one transaction. */
  async #end({ artifacts = [], onStored, ...ending }: ExecutionEnding): Promise<void> {
    const { machine } = this.#ports;
    // A signal of the process stopped the agent. This worker must not claim the run again.
    if (ending.status === 'stopped' && !this.#stop.signal.aborted) this.#ports.onLeave();
    await this.#commit(
      (last) => {
        if (ending.status === 'stopped') return machine.leave(this.fence, ending, last);
        if (ending.status !== 'lost') return machine.endRun(this.fence, ending, last);
        return machine.endLost(this.fence, { reason: ending.reason, outcome: ending, ...last });
      },
      artifacts.length > 0 ? { blobs: artifacts } : undefined,
    );
    onStored?.();
  }

  #add(added: NewRunEvent): void {
    // The database is away. It would not keep more of them anyway.
    if (this.#events.length >= EVENT_LIMITS.count) return;
    const event = added.type === 'text' ? { ...added, text: this.#fit(added.text) } : added;
    if (event.type === 'text' && event.text === '') return;
    const last = this.#events.at(-1);
    if (event.type === 'text' && last?.type === 'text') {
      this.#events[this.#events.length - 1] = { type: 'text', text: last.text + event.text };
    } else this.#events.push(event);
    if (this.#events.length >= MOST_JOINED) this.#storeEvents();
    else this.#timer ??= setTimeout(() => this.#storeEvents(), JOIN_MS);
  }

  /** Cuts a text to the size that the database would keep. While it is away, all of it is in memory. */
  #fit(text: string): string {
    const room = Math.max(0, EVENT_LIMITS.bytes - this.#textChars);
    this.#textChars += text.length;
    return text.length > room ? text.slice(0, room).toWellFormed() : text;
  }

  #storeEvents(): void {
    // Stored with the next note, or at the end.
    this.#store().catch((cause: unknown) => {
      // Another worker has the run, or it is being canceled. They are not tried again.
      if (stopOf(cause) !== undefined) return;
      this.#ports.onFault('The events of a run were not stored. They are tried again.', cause);
    });
  }

  /** Stores a note with the next one, such as that of a turn with its answer. */
  #join(note: RunNote): Promise<void> {
    this.#hold(note);
    this.#joined ??= Promise.withResolvers();
    this.#timer ??= setTimeout(() => this.#storeEvents(), JOIN_MS);
    return this.#joined.promise;
  }

  /** A later note has more than an earlier one, and replaces its blobs by name. */
  #hold({ blobs = [], ...note }: RunNote): void {
    const { blobs: earlier = [], ...held } = this.#waiting ?? {};
    const byName = new Map([...earlier, ...blobs].map((blob) => [blob.name, blob]));
    this.#waiting = { ...held, ...note, ...(byName.size > 0 && { blobs: [...byName.values()] }) };
  }

  /** Stores a note with the events and the notes before it. An empty one only stores what waits. */
  #store(note: RunNote = {}): Promise<void> {
    const isEmpty = Object.keys(note).length === 0 && this.#events.length === 0;
    if (isEmpty && this.#waiting === undefined) return this.#notes.catch(() => undefined);
    return this.#commit((last) => this.#ports.machine.note(this.fence, last), note);
  }

  /** Commits what waits. The next one contains the changes of a failed commit, except for its note. */
  #commit(commit: (work: NotedWork) => Promise<void>, own?: RunNote): Promise<void> {
    const stored = this.#notes
      .catch(() => undefined)
      .then(async () => {
        const [events, held, joined] = [this.#events, this.#waiting, this.#joined];
        clearTimeout(this.#timer);
        this.#timer = undefined;
        this.#events = [];
        this.#joined = undefined;
        if (own !== undefined) this.#hold(own);
        const note = this.#waiting;
        this.#waiting = undefined;
        try {
          await commit({ ...(note !== undefined && { note }), events });
          joined?.resolve();
        } catch (error) {
          this.#events = [...events, ...this.#events].slice(0, EVENT_LIMITS.count);
          const since = this.#waiting;
          this.#waiting = held;
          if (since !== undefined) this.#hold(since);
          joined?.reject(error);
          const reason = stopOf(error);
          if (reason !== undefined) this.stop(reason);
          throw error;
        }
      });
    this.#notes = stored;
    return stored;
  }
}

function notStored(name: string, error: unknown): string {
  return `\`${name}\` was not stored: ${cut(error instanceof Error ? error.message : String(error))}`;
}

/**
 * Returns true if another worker has the run, its state does not fit what this one does, or it was erased.
 */
export function isOthers(cause: unknown): boolean {
  return ChatStateError.isInstance(cause) || RequestRefusedError.isInstance(cause);
}

/** Returns why a refused note stops the agent. Undefined for a fault. */
function stopOf(error: unknown): ExecutionStop | undefined {
  // The run was erased.
  if (RequestRefusedError.isInstance(error)) return 'superseded';
  if (!ChatStateError.isInstance(error)) return undefined;
  if (error.code === 'superseded') return 'superseded';
  return error.code === 'not-allowed' ? 'canceled' : undefined;
}

const INTERNAL: RunFailure = {
  code: 'internal',
  message: 'The server failed. Its log has the cause. Retry the run.',
};

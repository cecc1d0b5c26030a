/** One execution of a run in this process: its reports, its stop, and its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import type {
  AgentExecutor,
  ExecutionEnding,
  RunFailure,
  RunReport,
  ExecutionStop,
} from '../agent-executor.ts';
import type { RunBlob } from '../run-blob.ts';
import { EVENT_LIMITS, type NewRunEvent } from '../run-event.ts';
import type { RunMachine } from '../state/run-machine.ts';
import type { HeldRun } from '../state/run-work.ts';

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
    const ending = await this.#execute();
    clearTimeout(this.#timer);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
      try {
        await this.#flush();
        await this.#end(ending);
        return;
      } catch (cause) {
        // The run has another worker or a state that this end does not fit, or it was erased.
        if (ChatStateError.isInstance(cause) || RequestRefusedError.isInstance(cause)) return;
        this.#ports.onFault('The end of a run was not stored. It is tried again.', cause);
        if (this.#mustLeave) return;
        await sleep(pauseMs);
      }
    }
  }

  async #execute(): Promise<ExecutionEnding> {
    const report: RunReport = {
      signal: this.#stop.signal,
      note: (note) => this.#store({ note }),
      readBlob: (name) => this.#readBlob(name),
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

  async #readBlob(name: string): Promise<RunBlob | undefined> {
    const { id: runId, owner } = this.#held.claimed;
    try {
      return await this.#ports.machine.readBlob({ owner, runId, name });
    } catch (error) {
      if (RequestRefusedError.isInstance(error)) return undefined;
      throw error;
    }
  }

  #end(ending: ExecutionEnding): Promise<void> {
    const { machine } = this.#ports;
    if (ending.status === 'lost') {
      return machine.endLost(this.fence, { reason: ending.reason, outcome: ending });
    }
    if (ending.status !== 'stopped') return machine.endRun(this.fence, ending);
    // A signal of the process stopped the agent. This worker must not claim the run again.
    if (!this.#stop.signal.aborted) this.#ports.onLeave();
    return machine.leave(this.fence, ending);
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Stored with the next note, or at the end.
    this.#flush().catch((cause: unknown) => {
      // Another worker has the run, or it is being canceled. They are not tried again.
      if (stopOf(cause) !== undefined) return;
      this.#ports.onFault('The events of a run were not stored. They are tried again.', cause);
    });
  }

  #flush(): Promise<void> {
    return this.#events.length === 0 ? this.#notes.catch(() => undefined) : this.#store({});
  }

  /** Stores a note with the events before it. Events of a failed commit come with the next one. */
  #store(note: Parameters<RunMachine['note']>[1]): Promise<void> {
    const stored = this.#notes
      .catch(() => undefined)
      .then(async () => {
        const events = this.#events;
        this.#events = [];
        try {
          await this.#ports.machine.note(this.fence, { ...note, events });
        } catch (error) {
          this.#events = [...events, ...this.#events].slice(0, EVENT_LIMITS.count);
          const reason = stopOf(error);
          if (reason !== undefined) this.stop(reason);
          throw error;
        }
      });
    this.#notes = stored;
    return stored;
  }
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

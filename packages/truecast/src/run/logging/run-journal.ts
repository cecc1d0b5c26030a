/**
 * Run journal: the events of a run on disk while its agent works, so that another process can follow
 * it. Events are joined and written four times a second, and a long text at once.
 *
 * The writes are small and synchronous, like those of locks. Each takes about ten microseconds.
 */
import { closeSync, mkdirSync, openSync, renameSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ensureStateFolder } from '@truecast/host/internal/state-folder';
import type { RunEvent } from '../events/run-events.ts';
import type { JournalEvent } from '../record/journal-event.ts';
import { KEPT_FILES } from '../record/kept-run.ts';
import type { StartedRun } from '../record/kept-run-record.ts';
import { toJournalEvents } from './to-journal-events.ts';

/** A fast agent prints tens of megabytes before the timer ends. */
const MAX_JOINED_CHARS = 64 * 1024;
const FLUSH_MS = 250;
/** In UTF-16 units. A reader can read any line in one piece. */
const MAX_LINE_CHARS: number = 16 * 1024;
const MAX_JOURNAL_BYTES: number = 4 * 1024 * 1024;
/** Maximum number of events before `open`. None of them is text. */
const MAX_EARLY_EVENTS = 100;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Journal of one run. No method throws: a run does not depend on its journal. */
export class RunJournal {
  /** Name of the run's folder. */
  readonly id: string;
  #folder: string | undefined;
  #descriptor: number | undefined;
  #pending: JournalEvent[] = [];
  #bytesLeft: number = MAX_JOURNAL_BYTES;
  #timer: NodeJS.Timeout | undefined;
  #hasText = false;
  #isClosed = false;

  constructor(id: string) {
    this.id = id;
  }

  /** Creates the run's folder with the record of the start. Without this call, nothing is written. */
  open(stateFolder: string, start: StartedRun): void {
    this.#try(() => {
      const folder = join(ensureStateFolder(stateFolder, 'runs'), this.id);
      mkdirSync(folder, { mode: FOLDER_MODE });
      this.#folder = folder;
      const record = join(folder, KEPT_FILES.start);
      writeFileSync(`${record}.part`, `${JSON.stringify(start)}\n`, { mode: FILE_MODE });
      renameSync(`${record}.part`, record);
      this.#plan();
    });
  }

  write(event: RunEvent): void {
    if (this.#isClosed) return;
    if (event.type === 'iteration-start') this.#hasText = false;
    if (event.type === 'text') this.#hasText = true;
    // Some CLIs report their text only in the final event.
    if (event.type === 'end' && event.text !== undefined && !this.#hasText) {
      this.write({ ...event, type: 'text', text: event.text });
      return;
    }
    if (event.type !== 'text') for (const each of toJournalEvents(event)) this.#add(each);
    else if (this.#folder !== undefined) this.#addText(event);
  }

  /** Writes the last event. Call it before the record of the finished run is written. */
  end(iteration: number, error: string | undefined): void {
    if (this.#isClosed) return;
    this.#add({ type: 'end', at: new Date().toISOString(), iteration, text: error });
    this.#flush();
    this.#close();
  }

  /** Removes the record of the start. A run without any record is not listed. */
  leave(): void {
    this.#close();
    const folder = this.#folder;
    if (folder !== undefined) this.#try(() => unlinkSync(join(folder, KEPT_FILES.start)));
    this.#folder = undefined;
  }

  #add(event: JournalEvent): void {
    if (this.#folder !== undefined || this.#pending.length < MAX_EARLY_EVENTS) this.#pending.push(event);
    this.#plan();
  }

  /** Joins pieces, because thousands can arrive per second. A long text is written at once. */
  #addText(event: Extract<RunEvent, { readonly type: 'text' }>): void {
    const last = this.#pending.at(-1);
    if (last?.type !== 'text' || last.iteration !== event.iteration) {
      toJournalEvents(event).forEach((each) => this.#add(each));
    } else {
      const text = `${last.text}${event.text}`;
      this.#pending[this.#pending.length - 1] = { ...last, text };
      if (text.length >= MAX_JOINED_CHARS) this.#flush();
    }
  }

  #plan(): void {
    if (this.#folder === undefined || this.#pending.length === 0) return;
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS).unref();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#pending;
    const folder = this.#folder;
    this.#pending = [];
    if (folder === undefined || events.length === 0) return;
    this.#try(() => {
      this.#descriptor ??= openSync(join(folder, KEPT_FILES.events), 'wx', FILE_MODE);
      const lines = toLines(events);
      this.#bytesLeft -= lines.length;
      writeAll(this.#descriptor, this.#bytesLeft >= 0 ? lines : cutLine(events));
      if (this.#bytesLeft < 0) this.#close();
    });
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#isClosed = true;
    this.#pending = [];
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** A full disk ends the journal, not the run. */
  #try(work: () => void): void {
    try {
      work();
    } catch {
      this.#close();
    }
  }
}

function toLines(events: readonly JournalEvent[]): Buffer {
  return Buffer.from(
    events
      .flatMap(inPieces)
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(''),
  );
}

function inPieces(event: JournalEvent): readonly JournalEvent[] {
  const { text = '' } = event;
  if (text.length <= MAX_LINE_CHARS) return [event];
  const count = Math.ceil(text.length / MAX_LINE_CHARS);
  return Array.from({ length: count }, (_none, index) => {
    const from = index * MAX_LINE_CHARS;
    return { ...event, text: text.slice(from, from + MAX_LINE_CHARS) };
  });
}

/** Replaces the events beyond the limit. */
function cutLine([first]: readonly JournalEvent[]): Buffer {
  const { at = '', iteration = 1 } = first ?? {};
  return toLines([{ type: 'cut', at, iteration }]);
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}

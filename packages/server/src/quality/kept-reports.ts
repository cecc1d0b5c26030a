/**
 * Kept reports: one reading of the rows for all callers of the same report. A report over many answers is
 * used again for some seconds, because it takes a quarter of a second of processor time.
 */
import type { QualityView } from '../contract/wire/quality-wire.ts';

/** Reports over fewer answers are read again at each call, so that they are always exact. */
const CHEAP_ANSWERS = 1_000;
const KEPT_MS = 10_000;
const MAX_REPORTS = 100;

interface Kept {
  readonly report: Promise<QualityView>;
  /** Time from which the report is out of date. Undefined while it is read. */
  endsAtMs?: number;
}

/** Reports of one process. */
export class KeptReports {
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns the report of a key, and reads it if none is kept. One is read at a time. */
  get(key: string, read: () => Promise<QualityView>): Promise<QualityView> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && (kept.endsAtMs ?? Infinity) > this.#now()) return kept.report;
    const report = this.#last.then(read);
    this.#last = report.catch(() => undefined);
    const entry: Kept = { report };
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    report.then(
      ({ totals: { answers, unanswered } }) => {
        if (answers + unanswered < CHEAP_ANSWERS) this.#drop(key, entry);
        else entry.endsAtMs = this.#now() + KEPT_MS;
      },
      () => this.#drop(key, entry),
    );
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_REPORTS) break;
      this.#kept.delete(oldest);
    }
    return report;
  }

  #drop(key: string, entry: Kept): void {
    if (this.#kept.get(key) === entry) this.#kept.delete(key);
  }
}

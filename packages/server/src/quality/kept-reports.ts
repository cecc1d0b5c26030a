/**
 * Kept reports: one reading of the rows for all callers of the same report. A report over many answers is
 * used again for some seconds, because it takes a quarter of a second of processor time.
 */
import type { QualityView } from '@truecast/client/internal/wire/quality';

/** Reports over fewer answers are read again at each call, so that they are always exact. */
const CHEAP_ANSWERS = 1_000;
const KEPT_MS = 10_000;
const MAX_REPORTS = 100;

interface Kept {
  readonly report: Promise<QualityView>;
  /** Time from which the report is out of date. Undefined while it is read. */
  endsAtMs?: number;
}

export class KeptReports {
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;
  /** The last reading of each owner. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Returns the report of a query, and reads it if none is kept. One is read at a time for each owner, so
   * that no caller waits for the reports of others.
   */
  get(owner: string, query: string, read: () => Promise<QualityView>): Promise<QualityView> {
    const key = JSON.stringify([owner, query]);
    const kept = this.#kept.get(key);
    if (kept !== undefined && (kept.endsAtMs ?? Infinity) > this.#now()) return kept.report;
    const report = (this.#last.get(owner) ?? Promise.resolve()).then(read);
    const ended = report
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(owner) === ended) this.#last.delete(owner);
      });
    this.#last.set(owner, ended);
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

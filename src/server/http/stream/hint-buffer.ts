/** Owns the hints that wait for one stream: few, in order, and dropped all together where they would be too many. */
import type { LiveEvent } from '../../contract/wire/stream-wire.ts';

const MAX_WAITING = 512;

/** Holds hints until they are taken. */
export class HintBuffer {
  private waiting: LiveEvent[] = [];

  /** Adds a hint. Of partial values only the newest counts, as it holds all of those before. */
  add(event: LiveEvent): void {
    if (event.type === 'preview_reset') this.waiting = [];
    const last = this.waiting.at(-1);
    if (event.type === 'partial' && last?.type === 'partial') this.waiting.pop();
    if (this.waiting.length >= MAX_WAITING) this.waiting = [{ type: 'preview_reset' }];
    else this.waiting.push(event);
  }

  take(): readonly LiveEvent[] {
    const taken = this.waiting;
    this.waiting = [];
    return taken;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }
}

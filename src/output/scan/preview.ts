/** Owns the value of the draft under way, built from the first time that someone asks for it. Pure. */
import type { JsonValue } from '../../schema/json-value.ts';
import { JsonReader } from './json-reader.ts';
import { createPartialBuilder, type PartialBuilder } from './partial-builder.ts';
import type { Candidate, Draft } from './tag-matches.ts';

/** Shows one draft at a time, and goes on showing the last one when there is none. */
export class Preview {
  #current: Candidate | undefined;
  #builder: PartialBuilder | undefined;
  #draft = 0;

  get draft(): Draft {
    return { value: this.#value, draft: this.#draft };
  }

  get #value(): JsonValue | undefined {
    return this.#builder?.value;
  }

  /** Turns to another draft; `readContent` returns its content so far. */
  show(candidate: Candidate, readContent: () => string): void {
    if (candidate === this.#current) return;
    this.#current = candidate;
    this.#builder = createPartialBuilder();
    this.#draft += 1;
    // What came before is read once more; from here on one reader both judges and builds.
    const content = readContent();
    candidate.reader = new JsonReader(this.#builder.sink);
    candidate.reader.read(content, 0, content.length);
    if (candidate.isSealed) candidate.reader.end();
  }
}

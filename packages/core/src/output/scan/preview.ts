/** Preview of the current draft, built from the first request on. Pure. */
import { JsonReader } from './json-reader.ts';
import { createPartialBuilder, type PartialBuilder } from './partial-builder.ts';
import type { Candidate, Draft } from './tag-matches.ts';

/** Shows one draft at a time. Without an open draft, it keeps the last one. */
export class Preview {
  #current: Candidate | undefined;
  #builder: PartialBuilder | undefined;
  #draft = 0;

  get draft(): Draft {
    return { value: this.#builder?.value, draft: this.#draft };
  }

  /** Switches to another draft. `readContent` returns its content so far. */
  show(candidate: Candidate, readContent: () => string): void {
    if (candidate === this.#current) return;
    this.#current = candidate;
    this.#builder = createPartialBuilder();
    this.#draft += 1;
    // Earlier content is read once more. From here on one reader both validates and builds.
    const content = readContent();
    candidate.reader = new JsonReader(this.#builder.sink);
    candidate.reader.read(content, 0, content.length);
    if (candidate.isSealed) candidate.reader.end();
  }
}

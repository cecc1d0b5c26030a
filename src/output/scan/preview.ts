/** Owns the value of the draft under way, built from the first time that someone asks for it. Pure. */
import { JsonReader } from './json-reader.ts';
import { createPartialBuilder, type PartialBuilder } from './partial-builder.ts';
import type { Candidate, Draft } from './tag-matches.ts';

/** Shows one draft at a time. */
export interface Preview {
  /** `read` returns the candidate's content so far. */
  of(candidate: Candidate | undefined, read: () => string): Draft;
}

/** Makes a preview that has seen nothing. */
export function createPreview(): Preview {
  let current: Candidate | undefined;
  let builder: PartialBuilder | undefined;
  let draft = 0;
  return {
    of(candidate, read) {
      if (candidate !== undefined && candidate !== current && !candidate.isTooLarge) {
        current = candidate;
        builder = createPartialBuilder();
        draft += 1;
        // What came before is read once more; from here on one reader both judges and builds.
        const text = read();
        candidate.reader = new JsonReader(builder.sink);
        candidate.reader.read(text, 0, text.length);
      }
      return { value: builder?.value, draft };
    },
  };
}

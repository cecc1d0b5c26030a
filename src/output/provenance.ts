/** Owns the account of how an answer was obtained. Pure. */
import type { Attempt } from '../errors/attempt.ts';
import type { Usage } from '../errors/usage.ts';

/** The way an answer took from the agent to the caller. */
export type Route = 'tag' | 'native' | 'tool' | 'mcp' | 'json' | 'embedded' | 'raw';

/** Something that was undone before the schema accepted the value; never on the tag route. */
export interface Repair {
  /** What was undone, such as `unwrapped-output` or `parsed-string`. */
  readonly kind: string;
  /** Where in the value; empty for its root. */
  readonly path: readonly (string | number)[];
}

/** How an answer was obtained; stands beside every answer, by every route. */
export interface Provenance {
  readonly route: Route;
  /** Every try, the failed ones first, the successful one last. */
  readonly attempts: readonly Attempt[];
  /** Where the match stands in the scanned text, in UTF-16 units from its start; `end` is exclusive. */
  readonly span?: { readonly start: number; readonly end: number };
  /** The answer's text as it stood, before trimming and parsing. */
  readonly raw: string;
  readonly repairs: readonly Repair[];
  /** SHA-256, in hex, of the canonical JSON of the JSON Schema; absent where the schema has none. */
  readonly schemaHash?: string;
  readonly model?: string;
  readonly agent?: string;
  /** True when the tag was opened again after the match and never closed. */
  readonly unclosedTagAfterMatch?: boolean;
  readonly usage?: Usage;
}

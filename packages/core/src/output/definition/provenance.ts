/** Provenance: how an answer was asked for and obtained. One union of modes for every package. Pure. */
import type { Attempt } from '../../errors/base/run-evidence.ts';
import type { StructuredOutputError } from '../../errors/structured-output-error.ts';
import type { Usage } from '../../kit/usage.ts';

/**
 * How an answer is asked for and obtained. `tag`: between tags in the text. `native`: the schema mode of
 * an agent or a service. `tool`: the argument of a tool that the model must call. `tool_auto`: of a tool
 * that it can call. `mcp`: of a tool that an agent's CLI loads by MCP. `json`: the text of the reply.
 */
export type AnswerMode = 'tag' | 'native' | 'tool' | 'tool_auto' | 'mcp' | 'json';

/** A deviation that was undone before the schema accepted the value. Never in the tag mode. */
export interface Repair {
  /** Kind of the deviation, such as `unwrapped-output` or `parsed-string`. */
  readonly kind: string;
  /** Path in the value. Empty for its root. */
  readonly path: readonly (string | number)[];
}

/** Verdict of the output's `check` on one commit, in a clean checkout of it. */
export interface CheckedCommit {
  readonly verdict: 'passed' | 'failed';
  /** Full id of the commit. */
  readonly commit: string;
  /** Full id of the tree. */
  readonly tree: string;
  /** Duration with the checkout and the start of the sandbox. */
  readonly durationMs: number;
}

/** How an answer was obtained. Returned with every answer, on every route. */
export interface Provenance {
  /** Mode of the answer: `tag`, `native`, `mcp`, … */
  readonly mode: AnswerMode;
  /** All attempts: failed ones first, the successful one last. */
  readonly attempts: readonly Attempt[];
  /**
   * Position of the match in the scanned text, in UTF-16 units from its start. `end` is exclusive.
   */
  readonly span?: { readonly start: number; readonly end: number };
  /** The answer's unchanged text, before trimming and parsing. */
  readonly raw: string;
  /** Corrections before validation. Always empty in the tag mode. */
  readonly repairs: readonly Repair[];
  /**
   * Rules of the schema that the engine was not asked to hold, because its schema mode cannot. The
   * answer was validated with them. Absent in modes without a schema mode.
   */
  readonly unenforced?: readonly {
    /** Path of the keyword in the schema. */
    readonly path: readonly (string | number)[];
    readonly keyword: string;
  }[];
  /** SHA-256, in hex, of the canonical JSON of the JSON Schema. Absent if the schema has none. */
  readonly schemaHash?: string;
  /** The model, as the agent or the service reports it. */
  readonly model?: string;
  /** Name of the agent. Absent for a model call. */
  readonly agent?: string;
  /** True if the tag was opened again after the match and never closed. */
  readonly unclosedTagAfterMatch?: boolean;
  /**
   * The commit on which `check` passed before it was merged, published or returned. Absent without
   * a check, for a check that uses neither `exec` nor `worktreePath`, and with the branch strategy
   * `head`.
   */
  readonly check?: CheckedCommit;
  /** Tokens and cost over all attempts. */
  readonly usage?: Usage;
}

/** A valid answer and how it was obtained, or why it is missing. */
export type SafeExtractResult<TOutput> =
  | { readonly success: true; readonly output: TOutput; readonly provenance: Provenance }
  | { readonly success: false; readonly error: StructuredOutputError };

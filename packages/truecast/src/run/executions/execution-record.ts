/** Record of a run with an id: the stored progress of its executions, and its schema. */
import { z } from 'zod';
import type { RecoveredRef, SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import type { IterationResult } from '../options/run-options.ts';
import type { AskedFacts } from './run-id.ts';

/**
 * Progress of a run. `opened`: no agent has started. `working`: one has. `answered`: none is needed
 * any more. `ended`: the result is stored.
 */
export type ExecutionPhase = 'opened' | 'working' | 'answered' | 'ended';

/** The accepted answer. Absent parts belong to a run without an output. */
export interface StoredAnswer {
  readonly provenance?: Provenance | undefined;
  /** True if its check used the files of the worktree. */
  readonly isTreeChecked: boolean;
}

/** Members of a result that cannot be computed again. Texts are cut. */
export interface StoredEnding {
  readonly branch: string;
  readonly stdout: string;
  readonly text: string;
  readonly warnings: readonly string[];
  readonly sensitiveChanges: readonly SensitiveChange[];
  readonly recovered: readonly RecoveredRef[];
  readonly completionSignal?: string | undefined;
  readonly preservedWorktreePath?: string | undefined;
  readonly pullRequestUrl?: string | undefined;
}

/** One run, over all its executions. */
export interface ExecutionRecord {
  readonly version: 1;
  readonly id: string;
  readonly asked: AskedFacts;
  readonly phase: ExecutionPhase;
  /** Number of executions that have begun. */
  readonly executions: number;
  /** Absent for a read-only run. */
  readonly branch?: string | undefined;
  /** The branch that was checked out at the start, into which a merge goes. */
  readonly target?: string | undefined;
  /** Commit before the first agent. Its later commits are the run's. */
  readonly commitsSince?: string | undefined;
  /** True if the run created its branch. */
  readonly isNewBranch?: boolean | undefined;
  /** True if the run created its worktree. */
  readonly isOwnWorktree?: boolean | undefined;
  readonly sessionId?: string | undefined;
  /** Worktree of the last execution that opened one. */
  readonly worktreePath?: string | undefined;
  /** Host folder of the sandbox's HOME, which remains after a kill. */
  readonly hostHomePath?: string | undefined;
  /** Turns that have ended. */
  readonly iterations: readonly IterationResult[];
  readonly answer?: StoredAnswer | undefined;
  /** All commits of the run, read before they land. Absent before. */
  readonly commits?: readonly string[] | undefined;
  readonly ending?: StoredEnding | undefined;
  /**
   * Present if the earlier executions were on a machine that is lost, until the agent has been told. `headSha`:
   * their last known commit, if this repository does not have it.
   */
  readonly moved?: { readonly headSha?: string | undefined } | undefined;
}

const count = z.number().int().nonnegative();
const sha = z.string().regex(/^(?:[\da-f]{40}|[\da-f]{64})$/u);
const path = z.array(z.union([z.string(), z.number()]));
const usage = z.object({
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  cacheCreationInputTokens: z.number().nonnegative(),
  cacheReadInputTokens: z.number().nonnegative(),
  costUsd: z.number().nonnegative().exactOptional(),
});

const provenance = z.object({
  mode: z.enum(['tag', 'native', 'tool', 'tool_auto', 'mcp', 'json']),
  attempts: z.array(
    z.object({
      code: z.string(),
      message: z.string(),
      rawMatched: z.string().exactOptional(),
      usage: usage.exactOptional(),
    }),
  ),
  span: z.object({ start: count, end: count }).exactOptional(),
  raw: z.string(),
  repairs: z.array(z.object({ kind: z.string(), path })),
  unenforced: z.array(z.object({ path, keyword: z.string() })).exactOptional(),
  schemaHash: z.string().exactOptional(),
  model: z.string().exactOptional(),
  agent: z.string().exactOptional(),
  unclosedTagAfterMatch: z.boolean().exactOptional(),
  check: z
    .object({ verdict: z.enum(['passed', 'failed']), commit: sha, tree: z.string(), durationMs: count })
    .exactOptional(),
  usage: usage.exactOptional(),
}) satisfies z.ZodType<Provenance>;

/** Written by this package alone, into a private folder. */
const listed = <T>(): z.ZodType<readonly T[]> => z.array(z.custom<T>((value) => typeof value === 'object'));

export const executionRecordSchema: z.ZodType<ExecutionRecord> = z.object({
  version: z.literal(1),
  id: z.string(),
  asked: z.record(z.string(), z.string()),
  phase: z.enum(['opened', 'working', 'answered', 'ended']),
  executions: count,
  branch: z.string().optional(),
  target: z.string().optional(),
  commitsSince: sha.optional(),
  isNewBranch: z.boolean().optional(),
  isOwnWorktree: z.boolean().optional(),
  sessionId: z.string().optional(),
  worktreePath: z.string().optional(),
  hostHomePath: z.string().optional(),
  iterations: z.array(
    z.object({
      sessionId: z.string().exactOptional(),
      sessionFilePath: z.string().exactOptional(),
      usage: usage.exactOptional(),
    }),
  ),
  answer: z.object({ provenance: provenance.optional(), isTreeChecked: z.boolean() }).optional(),
  commits: z.array(sha).optional(),
  ending: z
    .object({
      branch: z.string(),
      stdout: z.string(),
      text: z.string(),
      warnings: z.array(z.string()),
      sensitiveChanges: listed<SensitiveChange>(),
      recovered: listed<RecoveredRef>(),
      completionSignal: z.string().optional(),
      preservedWorktreePath: z.string().optional(),
      pullRequestUrl: z.string().optional(),
    })
    .optional(),
  moved: z.object({ headSha: sha.optional() }).optional(),
});

/**
 * Queue interface between a batch and its source of items. It allows a queue that several machines
 * share.
 */
import type { Issue } from '@truecast/core/internal/kit/issue';
import type {
  CommitRef,
  RecoveredRef,
  SensitiveChange,
} from '@truecast/core/internal/errors/base/run-evidence';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';

/**
 * Values for the `{{KEY}}`s of a batch's prompt. Values other than strings, numbers and booleans
 * are inserted as JSON.
 */
export type BatchInput = Readonly<Record<string, JsonValue>>;

/** One input of a batch. */
export interface BatchItem {
  /** Unique key, derived from the input, the prompt, the output and the agent. */
  readonly key: string;
  /** Line number of the input, from 1. */
  readonly line: number;
  readonly input: BatchInput;
  /** SHA-256 of the input's canonical JSON. */
  readonly inputHash: string;
}

interface BatchResultBase {
  readonly key: string;
  /** The input's `id`, if any. */
  readonly id?: string | number;
  readonly line: number;
  readonly inputHash: string;
  /** Folder in the item's repository. Absent if all items have the same. */
  readonly cwd?: string;
  readonly commits: readonly CommitRef[];
  /** Branch with the commits. Absent without commits. */
  readonly branch?: string;
  /**
   * Other branches, tags, stash entries and commits of the agent, kept separately. Absent if there
   * are none.
   */
  readonly recovered?: readonly RecoveredRef[];
  readonly preservedWorktreePath?: string;
  readonly sessionId?: string;
  readonly logFilePath?: string;
  /** Changes that make a later command run code on the host. Absent without any. */
  readonly sensitiveChanges?: readonly SensitiveChange[];
  readonly usage?: Usage;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
}

interface BatchOutput<TOutput> extends BatchResultBase {
  /** Absent if the batch has no `output` option. */
  readonly output?: TOutput;
  readonly provenance?: Provenance;
  /** Warnings of the run. Absent if it has none. */
  readonly warnings?: readonly string[];
}

/** Successful result of one input. */
export interface BatchSuccess<TOutput = unknown> extends BatchOutput<TOutput> {
  readonly status: 'ok';
  /**
   * True if the item's commits have landed, on `branch`. Absent without commits, and in a batch without
   * `branchStrategy`. A branch that does not land makes its item a failure.
   */
  readonly merged?: true;
}

/** Result of one input without an answer: its agent asked or declined. `output` is the outcome. */
export interface BatchUnanswered<TOutput = unknown> extends BatchOutput<TOutput> {
  readonly status: 'question' | 'declined';
}

/** Failed result of one input. */
export interface BatchFailure extends BatchResultBase {
  readonly status: 'failed';
  readonly error: {
    readonly name: string;
    /** Absent for errors that are not Truecast errors. */
    readonly code?: string;
    readonly message: string;
    /** Result code of each attempt at an answer. Absent if no answer was read. */
    readonly attempts?: readonly string[];
    readonly issues?: readonly Issue[];
  };
}

/** Result of one input: one line of the results file. With an `output` option, a success has its value. */
export type BatchResult<TOutput = unknown> =
  | (unknown extends TOutput ? BatchSuccess | BatchUnanswered : TypedResult<TOutput>)
  | BatchFailure;

/** The output of a success is an answer, and that of any other result a question or a refusal. */
type TypedResult<TOutput> =
  | (BatchSuccess<TOutput> & { readonly output: Exclude<TOutput, WithoutAnswer> })
  | ([Extract<TOutput, WithoutAnswer>] extends [never]
      ? never
      : BatchUnanswered<TOutput> & { readonly output: Extract<TOutput, WithoutAnswer> });

type WithoutAnswer = { readonly outcome: 'question' } | { readonly outcome: 'declined' };

/** A result with its input, as a program gets it. A line of the results file has only the input's hash. */
export type HandedResult<TOutput = unknown> = BatchResult<TOutput> & Pick<BatchItem, 'input'>;

/** Source of items and store of results. Several workers can call each method concurrently. */
export interface BatchQueue {
  /** Claims the next item exclusively. Resolves to undefined if the queue is empty. */
  claim(signal: AbortSignal): Promise<BatchItem | undefined>;
  /** Stores an answer, a question or a refusal durably before it resolves. */
  complete(item: BatchItem, result: BatchSuccess | BatchUnanswered): Promise<void>;
  /** Stores a failure durably before it resolves. */
  fail(item: BatchItem, result: BatchFailure): Promise<void>;
  /** Returns an unfinished item to the queue. */
  release(item: BatchItem): Promise<void>;
}

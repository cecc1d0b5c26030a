/** Owns the port between a batch and where its items come from, so that several machines may one day work on one. */
import type { Issue } from '../../errors/issue.ts';
import type { CommitRef } from '../../errors/run-evidence.ts';
import type { Usage } from '../../errors/usage.ts';
import type { Provenance } from '../../output/provenance.ts';
import type { JsonValue } from '../../schema/json-value.ts';

/** Values for the `{{KEY}}`s of a batch's prompt; what is no string, number or boolean stands in the prompt as JSON. */
export type BatchInput = Readonly<Record<string, JsonValue>>;

/** One input to work on. */
export interface BatchItem {
  /** Tells the item from all others: of its input, the prompt, the output and the agent. */
  readonly key: string;
  /** Where the input stands, from 1. */
  readonly line: number;
  readonly input: BatchInput;
  /** SHA-256 of the input's canonical JSON. */
  readonly inputHash: string;
}

interface BatchResultBase {
  readonly key: string;
  /** The input's own `id`, where it has one. */
  readonly id?: string | number;
  readonly line: number;
  readonly inputHash: string;
  readonly commits: readonly CommitRef[];
  /** Branch that holds the commits; absent where there are none. */
  readonly branch?: string;
  readonly preservedWorktreePath?: string;
  readonly sessionId?: string;
  readonly logFilePath?: string;
  readonly usage?: Usage;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
}

/** The answer to one input. */
export interface BatchSuccess<TOutput = unknown> extends BatchResultBase {
  readonly status: 'ok';
  /** Absent where the batch asked for no output. */
  readonly output?: TOutput;
  readonly provenance?: Provenance;
}

/** Why one input has no answer. */
export interface BatchFailure extends BatchResultBase {
  readonly status: 'failed';
  readonly error: {
    readonly name: string;
    /** Absent for what is no error of Truecast. */
    readonly code?: string;
    readonly message: string;
    readonly issues?: readonly Issue[];
  };
}

/** What became of one input: one line of the results. */
export type BatchResult<TOutput = unknown> = BatchSuccess<TOutput> | BatchFailure;

/** Where a batch takes its items from, and where it tells what became of them. Each call may come from several workers at once. */
export interface BatchQueue {
  /** Takes the next item, which nobody else then gets; undefined when there is none left. */
  claim(signal: AbortSignal): Promise<BatchItem | undefined>;
  /** Keeps an answer for good before it resolves. */
  complete(item: BatchItem, result: BatchSuccess): Promise<void>;
  /** Keeps a failure for good before it resolves. */
  fail(item: BatchItem, result: BatchFailure): Promise<void>;
  /** Gives back an item that was not worked on to its end. */
  release(item: BatchItem): Promise<void>;
}

/**
 * Interface of the benches that run a program as an agent: the request, the reply, and one
 * contestant's implementation.
 */
import type { Expected } from '../inputs/transcripts.ts';

export type Strategy = 'head' | 'branch' | 'merge-to-head';

export interface AgentRunRequest {
  /** Shell command that acts as the agent: it prints the answer. */
  readonly command: string;
  /** Repository that only this contestant uses. */
  readonly repository: string;
  readonly strategy: Strategy;
  /** Branch name for the strategy `branch`, new for each run. */
  readonly branch: string;
  /** Counts git's processes. Such a run is not timed. @default false */
  readonly tracesGit?: boolean;
}

/** Result of a run. */
export interface AgentRunOutcome {
  /** The answer, or a failure: its code, or its message if it has no code. */
  readonly answer: Expected;
  readonly commits: number;
}

export interface AgentRunReply extends AgentRunOutcome {
  readonly ms: number;
  /** Peak memory of the process so far. */
  readonly maxRssBytes: number;
  /** With `tracesGit`: the arguments of each git process, in order. */
  readonly gitCommands: readonly string[];
}

export type AgentRunner = (request: AgentRunRequest) => Promise<AgentRunOutcome>;

/** The text that a prompt must contain for either runner to search for the tag. */
export const PROMPT = 'Answer in <result>{"answer": number}</result>.';

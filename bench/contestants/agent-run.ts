/** Owns the port of the benches that run a program as an agent: the request, the reply, and one contestant's side. */
import type { Expected } from '../inputs/transcripts.ts';

export type Strategy = 'head' | 'branch' | 'merge-to-head';

export interface AgentRunRequest {
  /** Shell command that is the agent: it prints the answer. */
  readonly command: string;
  /** Repository of this contestant alone. */
  readonly repository: string;
  readonly strategy: Strategy;
  /** Name for the strategy `branch`, new for each run. */
  readonly branch: string;
  /** Counts git's processes; such a run is not timed. @default false */
  readonly tracesGit?: boolean;
}

/** What a run came to. */
interface AgentRunOutcome {
  /** The answer, or a failure: its code, or its message where it has none. */
  readonly answer: Expected;
  readonly commits: number;
}

export interface AgentRunReply extends AgentRunOutcome {
  readonly ms: number;
  /** High-water of the process's memory so far. */
  readonly maxRssBytes: number;
  /** With `tracesGit`: the arguments of each git process that was started, in order. */
  readonly gitCommands: readonly string[];
}

export type AgentRunner = (request: AgentRunRequest) => Promise<AgentRunOutcome>;

/** The words that a prompt must hold for either runner to search the tag. */
export const PROMPT = 'Answer in <result>{"answer": number}</result>.';

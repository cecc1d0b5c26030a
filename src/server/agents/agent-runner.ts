/** Owns what the server needs of coding agents: a port, since the rooms that run them are not its own. */
import type { Usage } from '../../errors/usage.ts';
import type { JsonSchema } from '../../schema/json-schema-types.ts';

/** One piece of work for an agent. */
export interface AgentTask {
  /** One of the names that `list` tells. */
  readonly agent: string;
  /** What the agent's own model is to be. @default the agent's own choice */
  readonly model?: string;
  readonly prompt: string;
  /** What the answer must be; text where it is absent. */
  readonly output?: {
    readonly name: string;
    readonly description?: string;
    readonly schema: JsonSchema;
  };
  /** Stands in the name of the branch, so that the work of one chat is found together. @default the agent's name */
  readonly name?: string;
  /** Ends the work. */
  readonly signal: AbortSignal;
  /** Is told the branch before the agent starts: it is known also of work that is stopped. */
  onBranch?(branch: string): void;
}

/** What an agent's work came to. */
export interface AgentReply {
  /** What it said last, or the value where one was asked for: canonical JSON whose numbers keep all their digits. */
  readonly text: string;
  readonly usage?: Usage;
  /** Where its commits are, the first one first. */
  readonly work?: AgentWork;
}

/** What an agent left in the repository. */
export interface AgentWork {
  readonly branch: string;
  readonly commits: readonly string[];
}

/** Runs coding agents. */
export interface AgentRunner {
  /** Names, such as `claude-code`. */
  list(): readonly string[];
  /** Rejects with a `TruecastError` where there is no answer, and with the signal's reason where it fired. */
  run(task: AgentTask): Promise<AgentReply>;
}

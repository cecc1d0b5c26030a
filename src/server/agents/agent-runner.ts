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
  /** Ends the work. */
  readonly signal: AbortSignal;
}

/** What an agent's work came to. */
export interface AgentReply {
  /** What it said last, or the value as JSON where one was asked for. */
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

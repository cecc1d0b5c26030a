/** Port to coding agents. Other packages run them. */
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';

export interface AgentTask {
  /** One of the names in `list`. */
  readonly agent: string;
  /** The agent's model. @default the agent's choice */
  readonly model?: string;
  readonly prompt: string;
  /** Contract of the answer. Absent for text. */
  readonly output?: {
    readonly name: string;
    readonly description?: string;
    readonly schema: JsonSchema;
    /** True if the schema has the answer under the key `value`. @default false */
    readonly isWrapped?: boolean;
  };
  readonly caller: TaskCaller;
  /**
   * Part of the branch name, so that the branches of one chat sort together. @default the agent's
   * name
   */
  readonly name?: string;
  /** Trace of the task, for the agent's environment. @default none */
  readonly traceparent?: string;
  /** State of the trace. @default none */
  readonly tracestate?: string;
  /** Aborts the work. A durable run continues for the reasons of `isLeft`. */
  readonly signal: AbortSignal;
  /** Called with the branch before the agent starts, so that it is known for aborted work too. */
  onBranch?(branch: string): void;
}

/** Origin of a task. */
export interface TaskCaller {
  readonly owner: string;
  readonly parent: { readonly id: string; readonly relation: 'chat' | 'response' };
  /** UUID. The same for each try at the task, so that a durable run is created once. */
  readonly taskId: string;
}

/** Result of an agent's task. */
export interface AgentReply {
  /** The agent's last text, or the requested value as canonical JSON with exact numbers. */
  readonly text: string;
  readonly usage?: Usage;
  /** Its commits, oldest first, and the warnings of the run. Absent without both. */
  readonly work?: AgentWork;
  /** Durable run that did the work. Absent for work in this process. */
  readonly runId?: string;
}

/** Changes that an agent left in the repository. */
export interface AgentWork {
  readonly branch: string;
  readonly commits: readonly string[];
  /** Problems that did not end the run, such as commits that are kept outside of the branch. */
  readonly warnings?: readonly string[];
}

/** Runs coding agents. */
export interface AgentRunner {
  /** True if a task continues without this process, and a second try waits for the first one. @default false */
  readonly isDurable?: boolean;
  /** Names, such as `claude-code`. */
  list(): readonly string[];
  /**
   * Rejects with a `TruecastError` without an answer, and with the signal's reason on abort.
   */
  run(task: AgentTask): Promise<AgentReply>;
}

/** Agent provider interface: command line, stream events and sessions of an agent CLI. */
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { LoweredJsonSchema } from '@truecast/core/internal/schema/dialects/lower-json-schema';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import type { SandboxExecOptions, SandboxExecResult, SandboxHandle } from './sandbox-provider.ts';
import type { AgentSessionStorage, HostSessionStorage } from './agent-sessions.ts';
import type { ModelAccess } from './model-access.ts';

/** A session's mode, and a more open one that the agent offers. */
export interface ClosedMode {
  readonly id: string;
  readonly openId: string;
}

/**
 * One event of an agent's stream. `text` is text of the main agent. Each piece is reported once.
 */
export type AgentEvent =
  /**
   * The id of the agent's session. `closedMode` if the agent can refuse its own tools in it, and
   * offers a more open mode.
   */
  | { readonly type: 'session'; readonly sessionId: string; readonly closedMode?: ClosedMode }
  /** The next piece of the agent's text. */
  | { readonly type: 'text'; readonly text: string }
  /** The next piece of its reasoning. */
  | { readonly type: 'thinking'; readonly text: string }
  /** The agent calls a tool. */
  | { readonly type: 'tool-call'; readonly id?: string; readonly name: string; readonly input: unknown }
  /** The result of a tool call. */
  | { readonly type: 'tool-result'; readonly id?: string; readonly output: string; readonly isError: boolean }
  /** Cumulative usage of the process. The last event counts. */
  | { readonly type: 'usage'; readonly usage: Usage; readonly model?: string }
  /**
   * The final event of the process. `text` is its result text, `value` an answer from schema mode,
   * `valueText` the answer's JSON as the agent wrote it. `isFromCall` if the final event lacked the
   * answer, and the value is from the call that submitted it.
   */
  | {
      readonly type: 'end';
      readonly text?: string;
      readonly value?: unknown;
      readonly valueText?: string;
      readonly isFromCall?: boolean;
    }
  /** The agent gave up. Recoverable problems and retries are reported as `warning`. */
  | {
      readonly type: 'error';
      readonly message: string;
      readonly statusCode?: number;
      /**
       * Time at which the model service accepts requests again, if the CLI reports it for a limit.
       */
      readonly resetsAt?: Date;
      /**
       * True if only the schema-mode answer failed. The work is done, and the answer can be
       * requested again.
       */
      readonly isAnswerMissing?: boolean;
    }
  /** A recoverable problem. `statusCode` is that of the model service. */
  | { readonly type: 'warning'; readonly message: string; readonly statusCode?: number };

/**
 * An event parsed from one line. `result` is the final text (the last one counts). `args` is the
 * call's main argument as text.
 */
export type ParsedStreamEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'result'; readonly result: string }
  | { readonly type: 'tool_call'; readonly name: string; readonly args: string }
  | { readonly type: 'session_id'; readonly sessionId: string }
  | { readonly type: 'usage'; readonly usage: Usage };

/**
 * Parses one process's stdout into events. Each process needs a new parser. Never throws:
 * unreadable input is skipped.
 */
export interface AgentStreamParser {
  /** Reads a stdout chunk with arbitrary boundaries. */
  push(chunk: string): readonly AgentEvent[];
  /** Ends the stream and returns the remaining events. */
  end(): readonly AgentEvent[];
}

/** A stdio MCP server that the agent starts and offers to its model. */
export interface McpServerCommand {
  readonly name: string;
  /** Path of the program inside the sandbox. */
  readonly command: string;
  readonly args: readonly string[];
  /**
   * Path inside the sandbox of a socket with one report per line: `accepted` after a connection,
   * `started` when an agent has started the server, and `listed` when it has its tools. For agents
   * that begin a turn before they have listed the tools.
   */
  readonly watchSocket?: string;
}

/** Options for building a command line. */
export interface AgentCommandOptions {
  readonly prompt: string;
  readonly dangerouslySkipPermissions: boolean;
  /** True in a sandbox, false with `noSandbox()`. @default false */
  readonly isContained?: boolean;
  readonly resumeSession?: string;
  /** With `resumeSession`: continue in a new session and leave the resumed one unchanged. */
  readonly forkSession?: boolean;
  /** JSON Schema for the native mode. */
  readonly jsonSchema?: unknown;
  /**
   * Path inside the sandbox of a file with `jsonSchema`, for CLIs that read the schema from a file.
   */
  readonly jsonSchemaPath?: string;
  /**
   * True if a question for a person is an outcome of the run. A CLI that has a tool for questions must
   * not offer it: without a terminal it has no answer. @default false
   */
  readonly asksByOutcome?: boolean;
  /**
   * True if the prompt names attached files in the worktree. Git ignores them, and a CLI whose tools do
   * not read ignored files must be set to read them. @default false
   */
  readonly hasAttachments?: boolean;
  /** Base URL of the model inside the sandbox, if a proxy replaces the model service. */
  readonly modelBaseUrl?: string;
  /**
   * A server whose tools are offered in addition to those of the user's configuration. Set only for
   * agents with `canUseMcp`.
   */
  readonly mcpServer?: McpServerCommand;
}

/** Options of a stream parser. */
export interface AgentStreamParserOptions {
  /**
   * Id of the session that the process resumes or forks. Some CLIs include that session's usage in
   * their totals.
   */
  readonly resumeSession?: string;
}

/**
 * A command for `sh -c`, its stdin, and environment variables in addition to the provider's `env`.
 */
export interface PrintCommand {
  readonly command: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Arguments of a provider's custom `execute`. */
export interface AgentExecution {
  readonly handle: SandboxHandle;
  readonly command: PrintCommand;
  /** Options of the command. Call their callbacks and honor their signal as a sandbox does. */
  readonly options: SandboxExecOptions;
  /** Reports an event that is not in the stream. */
  onEvent(event: AgentEvent): void;
}

/** Schema for the agent's schema mode, its losses, and the inverse mapping of answers. */
export type NativeSchema = Pick<LoweredJsonSchema, 'schema' | 'losses' | 'inverse'>;

/** Schema mode of an agent: native answers under a JSON Schema. */
export interface NativeMode {
  /**
   * Returns the schema for the agent's schema mode and the inverse mapping. Throws a `SchemaError`
   * or `UsageError` with the path of an unsupported part. `lowerJsonSchema` does this for the
   * providers it knows.
   */
  lowerSchema(jsonSchema: JsonSchema): NativeSchema;
  /**
   * `flag`: the schema is passed in the command line. `file`: it is written to a file inside the
   * sandbox.
   */
  readonly passes: 'flag' | 'file';
  /**
   * `value`: the answer is the final event's value. `text`: it is the final event's text, which the
   * run parses.
   */
  readonly answersIn: 'value' | 'text';
}

/**
 * Description of an agent. Created by `claudeCode()`, `codex()`, `command()` …, or written by hand
 * for custom agents: a command and a parser of the output lines are enough.
 */
export interface AgentProvider {
  /** Name in events, logs and errors. */
  readonly name: string;
  /** Model of the agent, in the words of its CLI. */
  readonly model?: string;
  /**
   * Model service by its name in OpenTelemetry's GenAI conventions, for spans. The prefix of a
   * model `provider/model` takes precedence.
   */
  readonly modelProvider?: string;
  /** Environment of the agent, merged over the sandbox's. */
  readonly env: Readonly<Record<string, string>>;
  /** Environment for use inside a sandbox only, never on the host. Merged over the sandbox's. */
  readonly sandboxEnv?: Readonly<Record<string, string>>;
  /** Copies each session to the host after a run. */
  readonly captureSessions: boolean;
  /** Store of the CLI's sessions. Without it, no session can be resumed. */
  readonly sessionStorage?: AgentSessionStorage;
  /** True if a session can continue in a copy. @default false */
  readonly canFork?: boolean;
  /** Schema mode of the CLI. Without it, an answer needs a tag or an MCP tool. */
  readonly nativeMode?: NativeMode;
  /** True if the agent supports the command option `mcpServer`. @default false */
  readonly canUseMcp?: boolean;
  /**
   * Transport of the prompt to the program. An argument is limited by the system to 128 KiB.
   * @default 'stdin'
   */
  readonly promptBy?: 'stdin' | 'argument';
  /**
   * True if the stream ends with an `end` event. Without that event, exit code 0 does not count as
   * success. @default false
   */
  readonly hasEndEvent?: boolean;
  /** True if all of stdout is agent text. @default false */
  readonly isPlainText?: boolean;
  /** True if usage events include `costUsd`. */
  readonly reportsCost?: boolean;
  /**
   * Program name, looked up on the PATH. Used by `doctor` and to mount the program into a sandbox.
   */
  readonly program?: string;
  /** Install instructions, included in the error if the program is missing. */
  readonly installHint?: string;
  /** Host paths that the program needs inside a sandbox, mounted read-only. */
  readonly readonlyPaths?: readonly string[];
  /**
   * Returns the model access for `egress: "model"`, or undefined if this host's environment does
   * not allow it.
   */
  modelAccess?(hostEnv: Readonly<Record<string, string | undefined>>): ModelAccess | undefined;
  /**
   * Returns the hosts that the agent needs to reach its model directly, as in `egress.allow`.
   * Undefined means unknown. A sandbox without an `egress` option allows these hosts.
   */
  hosts?(hostEnv: Readonly<Record<string, string | undefined>>): readonly string[] | undefined;
  /**
   * Returns true if the agent authenticates with a key of this environment instead of a login that
   * it can refresh. A run then ends at the first request that the model service rejects with 401
   * or 403. @default false
   */
  hasFixedKey?(env: Readonly<Record<string, string | undefined>>): boolean;
  /** Returns the command line of one turn. */
  buildPrintCommand(options: AgentCommandOptions): PrintCommand;
  /** Returns the program and its arguments for a terminal session of a person. */
  buildInteractiveArgs?(options: AgentCommandOptions): string[];
  /** Returns the events of one line of stdout. Not called if there is a `createStreamParser`. */
  parseStreamLine(line: string): ParsedStreamEvent[];
  /** Creates a parser of the whole stream, for events that depend on earlier lines. */
  createStreamParser?(options?: AgentStreamParserOptions): AgentStreamParser;
  /**
   * Returns the usage in a captured session's content. Called only if the stream reported none.
   */
  parseSessionUsage?(content: string): Usage | undefined;
  /**
   * Replaces the process in the sandbox, for an agent that is not a program, such as a recording.
   */
  execute?(execution: AgentExecution): Promise<SandboxExecResult>;
}

/** An agent with a parser of its whole stream, like all built-in agents. */
export interface StreamAgentProvider extends AgentProvider {
  createStreamParser(options?: AgentStreamParserOptions): AgentStreamParser;
}

/** An agent whose sessions can be resumed. A capture of its storage returns the path on the host. */
export interface ResumableAgentProvider extends StreamAgentProvider {
  readonly sessionStorage: HostSessionStorage;
}

/** Agent provider interface: command line, stream events and sessions of an agent CLI. */
import type { Usage } from '@truecast/core/internal/errors/base/usage';
import type { LoweredJsonSchema } from '@truecast/core/internal/schema/dialects/lower-json-schema';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/json-schema-types';
import type { SandboxExecOptions, SandboxExecResult, SandboxHandle } from './sandbox-provider.ts';
import type { ModelAccess } from './model-access.ts';

/**
 * One event of an agent's stream. `text` is text of the main agent. Each piece is reported once.
 */
export type AgentEvent =
  /** The id of the agent's session. */
  | { readonly type: 'session'; readonly sessionId: string }
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
   * `valueText` the answer's JSON as the agent wrote it.
   */
  | { readonly type: 'end'; readonly text?: string; readonly value?: unknown; readonly valueText?: string }
  /** The agent gave up. Recoverable problems and retries are reported as `warning`. */
  | {
      readonly type: 'error';
      readonly message: string;
      readonly statusCode?: number;
      /**
       * True if only the schema-mode answer failed. The work is done, and the answer can be
       * requested again.
       */
      readonly isAnswerMissing?: boolean;
    }
  /** A recoverable problem. */
  | { readonly type: 'warning'; readonly message: string };

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
}

/** Options for building a command line. */
export interface AgentCommandOptions {
  readonly prompt: string;
  readonly dangerouslySkipPermissions: boolean;
  readonly resumeSession?: string;
  /** With `resumeSession`: continue in a new session and leave the resumed one unchanged. */
  readonly forkSession?: boolean;
  /** JSON Schema for the native route. */
  readonly jsonSchema?: unknown;
  /**
   * Path inside the sandbox of a file with `jsonSchema`, for CLIs that read the schema from a file.
   */
  readonly jsonSchemaPath?: string;
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
  /** Call its callbacks and honor its signal as a sandbox does. */
  readonly options: SandboxExecOptions;
  /** Reports an event that is not in the stream. */
  onEvent(event: AgentEvent): void;
}

/** Session id and the worktree paths for its lookup. */
export interface SessionLocation {
  /** Worktree path on the host. */
  readonly hostCwd: string;
  /** Worktree path inside the sandbox. */
  readonly sandboxCwd: string;
  readonly sessionId: string;
}

/** Transfers an agent's sessions between the host's store and a sandbox's home. */
export interface AgentSessionStorage {
  /**
   * True if the CLI resumes a session only in the directory that it was created in. Even without a
   * sandbox, the session is then captured and copied to the resume directory. @default false
   */
  readonly isBoundToDirectory?: boolean;
  /**
   * True if only the agent knows its session files. It finds them in the place where it created
   * them. @default false
   */
  readonly isKeptByAgent?: boolean;
  /** Copies the session from the sandbox into the host's store. Returns its path on the host. */
  captureToHost(options: SessionLocation & { readonly handle: SandboxHandle }): Promise<string>;
  /** Copies the session from the host's store into the sandbox. */
  resumeIntoSandbox(options: SessionLocation & { readonly handle: SandboxHandle }): Promise<void>;
  /** Finds the session in the host's store, whatever its working directory. */
  findByIdOnHost(sessionId: string): Promise<string | undefined>;
}

/** Schema for the agent's schema mode, its losses, and the inverse mapping of answers. */
export type NativeSchema = Pick<LoweredJsonSchema, 'schema' | 'losses' | 'inverse'>;

/** Schema mode of an agent: native answers under a JSON Schema. */
export interface NativeRoute {
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
 * Description of an agent CLI. Created by `claudeCode()`, `codex()`, `command()` …, or written by
 * hand for custom agents.
 */
export interface AgentProvider {
  readonly name: string;
  readonly model?: string;
  /** Environment of the agent, merged over the sandbox's. */
  readonly env: Readonly<Record<string, string>>;
  /** Environment for use inside a sandbox only, never on the host. Merged over the sandbox's. */
  readonly sandboxEnv?: Readonly<Record<string, string>>;
  /** Copies each session to the host after a run. */
  readonly captureSessions: boolean;
  readonly sessionStorage?: AgentSessionStorage;
  readonly canFork?: boolean;
  readonly nativeRoute?: NativeRoute;
  /** True if the agent supports the command option `mcpServer`. @default false */
  readonly canUseMcp?: boolean;
  /**
   * Transport of the prompt to the program. An argument is limited by the system to 128 KiB.
   * @default 'stdin'
   */
  readonly promptBy?: 'stdin' | 'argument';
  /**
   * True if the stream ends with an `end` event. Without that event, exit code 0 does not count as
   * success.
   */
  readonly hasEndEvent: boolean;
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
  buildPrintCommand(options: AgentCommandOptions): PrintCommand;
  buildInteractiveArgs?(options: AgentCommandOptions): readonly string[];
  createStreamParser(options?: AgentStreamParserOptions): AgentStreamParser;
  /**
   * Replaces the process in the sandbox, for an agent that is not a program, such as a recording.
   */
  execute?(execution: AgentExecution): Promise<SandboxExecResult>;
}

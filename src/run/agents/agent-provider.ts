/** Owns the port between a run and an agent CLI: its command line, the events of its stream, its sessions. */
import type { Usage } from '../../errors/usage.ts';
import type { LoweredJsonSchema } from '../../schema/dialects/lower-json-schema.ts';
import type { JsonSchema } from '../../schema/json-schema-types.ts';
import type { SandboxExecOptions, SandboxExecResult, SandboxHandle } from '../sandboxes/sandbox-provider.ts';
import type { ModelAccess } from './model-access.ts';

/** What one line of an agent's stream says. `text` is the main agent's own words; every piece is told once. */
export type AgentEvent =
  | { readonly type: 'session'; readonly sessionId: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id?: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'tool-result'; readonly id?: string; readonly output: string; readonly isError: boolean }
  /** Usage of the whole process so far: the last one counts. */
  | { readonly type: 'usage'; readonly usage: Usage; readonly model?: string }
  /** The final event of the process; `text` is its result text, `value` a natively produced answer. */
  | { readonly type: 'end'; readonly text?: string; readonly value?: unknown }
  /** The agent gave up. A warning or a retry that may recover is a `warning`. */
  | {
      readonly type: 'error';
      readonly message: string;
      readonly statusCode?: number;
      /** True when all that failed is the answer of its schema mode: the work is done, and it can be asked again. */
      readonly isAnswerMissing?: boolean;
    }
  | { readonly type: 'warning'; readonly message: string };

/** Turns one process's stdout into events; one parser serves one process. Never throws: what it cannot read, it skips. */
export interface AgentStreamParser {
  /** Takes stdout as it arrives, wherever it was cut. */
  push(chunk: string): readonly AgentEvent[];
  /** Takes the end of stdout; returns what was still held. */
  end(): readonly AgentEvent[];
}

/** An MCP server on stdio that the agent starts itself and lets its model use. */
export interface McpServerCommand {
  readonly name: string;
  /** Program inside the sandbox. */
  readonly command: string;
  readonly args: readonly string[];
}

/** What a command line is built from. */
export interface AgentCommandOptions {
  readonly prompt: string;
  readonly dangerouslySkipPermissions: boolean;
  readonly resumeSession?: string;
  /** With `resumeSession`: continue in a new session and leave that one as it is. */
  readonly forkSession?: boolean;
  /** JSON Schema for the native route. */
  readonly jsonSchema?: unknown;
  /** Path inside the sandbox of a file that holds `jsonSchema`, for CLIs that read one. */
  readonly jsonSchemaPath?: string;
  /** Base URL of the model inside the sandbox, when a proxy stands for it. */
  readonly modelBaseUrl?: string;
  /** A server whose tools the model must have, beside those of the user's own configuration; only for agents that say `canUseMcp`. */
  readonly mcpServer?: McpServerCommand;
}

/** What a parser is told of its process. */
export interface AgentStreamParserOptions {
  /** The session that the process resumes or forks: some CLIs count its usage again. */
  readonly resumeSession?: string;
}

/** A command for `sh -c`, what is written to its stdin, and what it finds in its environment beside the provider's `env`. */
export interface PrintCommand {
  readonly command: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a provider's own `execute` is given. */
export interface AgentExecution {
  readonly handle: SandboxHandle;
  readonly command: PrintCommand;
  /** Its callbacks and its signal are to be honoured as a sandbox does. */
  readonly options: SandboxExecOptions;
  /** Tells an event that is not in the stream. */
  onEvent(event: AgentEvent): void;
}

/** Where a session is looked for. */
export interface SessionLocation {
  /** Worktree on the host. */
  readonly hostCwd: string;
  /** Worktree inside the sandbox. */
  readonly sandboxCwd: string;
  readonly sessionId: string;
}

/** How an agent's sessions travel between the host's store and a sandbox's home. */
export interface AgentSessionStorage {
  /**
   * True when the CLI goes on with a session only in the directory that it was made in: without a sandbox too, it is captured, and brought to
   * where it is resumed. @default false
   */
  readonly isBoundToDirectory?: boolean;
  /** True when sessions are files of nobody's knowledge: the agent alone finds them, where it made them. @default false */
  readonly isKeptByAgent?: boolean;
  /** Copies the session from the sandbox into the host's store; returns its path on the host. */
  captureToHost(options: SessionLocation & { readonly handle: SandboxHandle }): Promise<string>;
  /** Copies the session from the host's store into the sandbox. */
  resumeIntoSandbox(options: SessionLocation & { readonly handle: SandboxHandle }): Promise<void>;
  /** Finds the session in the host's store, whatever directory it was made in. */
  findByIdOnHost(sessionId: string): Promise<string | undefined>;
}

/** What an agent's schema mode is given, what it does not hold the answer to, and the way back to the schema's own form. */
export type NativeSchema = Pick<LoweredJsonSchema, 'schema' | 'losses' | 'inverse'>;

/** The agent's own way to answer under a JSON Schema. */
export interface NativeRoute {
  /**
   * Returns what the agent's schema mode is given for a schema, and the way back; throws a `SchemaError` or `UsageError` that names the path of
   * what it cannot carry. `lowerJsonSchema` does this for the providers it knows.
   */
  lowerSchema(jsonSchema: JsonSchema): NativeSchema;
  /** `flag`: the schema stands in the command line; `file`: it is written to a file inside the sandbox. */
  readonly passes: 'flag' | 'file';
  /** `value`: in the final event's value; `text`: as the final event's text, which the run parses. */
  readonly answersIn: 'value' | 'text';
}

/** An agent CLI, described once. Made by `claudeCode()`, `codex()`, `command()` …; one's own may be written by hand. */
export interface AgentProvider {
  readonly name: string;
  readonly model?: string;
  /** Environment that the agent needs; merged over the sandbox's. */
  readonly env: Readonly<Record<string, string>>;
  /** Environment that it needs inside a sandbox only, never on the host; merged over the sandbox's. */
  readonly sandboxEnv?: Readonly<Record<string, string>>;
  /** Copies each session to the host after a run. */
  readonly captureSessions: boolean;
  readonly sessionStorage?: AgentSessionStorage;
  readonly canFork?: boolean;
  readonly nativeRoute?: NativeRoute;
  /** True when it honours `mcpServer` of its command options. @default false */
  readonly canUseMcp?: boolean;
  /** How the prompt reaches the program; an argument has the system's limit of 128 KiB. @default 'stdin' */
  readonly promptBy?: 'stdin' | 'argument';
  /** True when the stream ends with an `end` event, without which an exit with 0 is no success. */
  readonly hasEndEvent: boolean;
  /** True when all of its stdout is its words. @default false */
  readonly isPlainText?: boolean;
  /** True when usage events carry `costUsd`. */
  readonly reportsCost?: boolean;
  /** Name of the program, looked up on the PATH; for `doctor` and for mounting it into a sandbox. */
  readonly program?: string;
  /** How to install the program; stands in the error when it is missing. */
  readonly installHint?: string;
  /** Host paths that the program needs to see inside a sandbox, read-only. */
  readonly readonlyPaths?: readonly string[];
  /** How it reaches its model through `egress: "model"`; undefined says that it cannot with this host's environment. */
  modelAccess?(hostEnv: Readonly<Record<string, string | undefined>>): ModelAccess | undefined;
  buildPrintCommand(options: AgentCommandOptions): PrintCommand;
  buildInteractiveArgs?(options: AgentCommandOptions): readonly string[];
  createStreamParser(options?: AgentStreamParserOptions): AgentStreamParser;
  /** Takes the place of the process in the sandbox, for an agent that is no program, such as a recording. */
  execute?(execution: AgentExecution): Promise<SandboxExecResult>;
}

/** Owns `claudeCode()`: Claude Code as an agent. */
import { lowerJsonSchema } from '../../schema/dialects/lower-json-schema.ts';
import { createClaudeSessionStorage, type ClaudeSessionStorageOptions } from '../session/claude-session.ts';
import type { AgentProvider, AgentSessionStorage } from './agent-provider.ts';
import {
  buildClaudeCodeCommand,
  buildClaudeCodeInteractiveArgs,
  type ClaudeCodeEffort,
  type ClaudeCodeFlags,
  type ClaudeCodePermissionMode,
} from './claude-code-command.ts';
import { createClaudeCodeStreamParser } from './claude-code-stream.ts';
import { nonEmpty, PLACEHOLDER_KEY, type ModelAccess } from './model-access.ts';

/** Options of `claudeCode()`. */
export interface ClaudeCodeOptions {
  /** @default the CLI's own */
  readonly effort?: ClaudeCodeEffort;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, where it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /** Claude Code's own rules for its tools, instead of none at all. @default none: `--dangerously-skip-permissions` */
  readonly permissionMode?: ClaudeCodePermissionMode;
  /** Prints words as they are written, not only whole messages: partial answers come live, and the stream is larger. @default false */
  readonly streamDeltas?: boolean;
  /** Where sessions are, when not where the CLI puts them. */
  readonly sessionStorage?: ClaudeSessionStorageOptions;
}

const SECRET_NAMES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'] as const;

/**
 * Makes Claude Code an agent. The `claude` program must be on the PATH where it runs.
 *
 * It logs in as the CLI does: by `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN`, `CLAUDE_CODE_OAUTH_TOKEN`, or what it has stored.
 *
 * @param model - a full name or an alias such as `opus`; absent, the CLI's own default
 *
 * @example
 * ```ts
 * const agent = claudeCode('claude-opus-4-8', { effort: 'high' });
 * ```
 */
export function claudeCode(
  model?: string,
  options: ClaudeCodeOptions = {},
): AgentProvider & { readonly sessionStorage: AgentSessionStorage } {
  const { env = {}, effort, permissionMode } = options;
  const flags: ClaudeCodeFlags = {
    model,
    effort,
    permissionMode,
    streamDeltas: options.streamDeltas ?? false,
  };
  return {
    name: 'claude-code',
    ...(model !== undefined && { model }),
    env,
    // As root the CLI skips permissions only where it is told that a sandbox is around it.
    sandboxEnv: { IS_SANDBOX: '1' },
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createClaudeSessionStorage(options.sessionStorage ?? {}, env),
    canFork: true,
    nativeRoute: {
      passes: 'flag',
      answersIn: 'value',
      lowerSchema: (jsonSchema) => lowerJsonSchema(jsonSchema, 'claude-code'),
    },
    canUseMcp: true,
    hasEndEvent: true,
    reportsCost: true,
    program: 'claude',
    installHint: 'npm install -g @anthropic-ai/claude-code',
    modelAccess: (hostEnv) => claudeCodeModelAccess({ ...hostEnv, ...env }),
    buildPrintCommand: (commandOptions) => buildClaudeCodeCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildClaudeCodeInteractiveArgs(flags, commandOptions),
    createStreamParser: () => createClaudeCodeStreamParser(),
  };
}

function claudeCodeModelAccess(env: Readonly<Record<string, string | undefined>>): ModelAccess | undefined {
  const apiKey = nonEmpty(env['ANTHROPIC_API_KEY']);
  const authToken = nonEmpty(env['ANTHROPIC_AUTH_TOKEN']);
  const oauthToken = nonEmpty(env['CLAUDE_CODE_OAUTH_TOKEN']);
  // Each kind has its own header, and the CLI sends one for each variable that is set: inside are those that the proxy replaces.
  const placeholders =
    apiKey === undefined && authToken === undefined
      ? { CLAUDE_CODE_OAUTH_TOKEN: PLACEHOLDER_KEY }
      : {
          ...(apiKey !== undefined && { ANTHROPIC_API_KEY: PLACEHOLDER_KEY }),
          ...(authToken !== undefined && { ANTHROPIC_AUTH_TOKEN: PLACEHOLDER_KEY }),
        };
  const bearer = authToken ?? (apiKey === undefined ? oauthToken : undefined);
  if (apiKey === undefined && bearer === undefined) return undefined;
  return {
    upstreamUrl: nonEmpty(env['ANTHROPIC_BASE_URL']) ?? 'https://api.anthropic.com',
    headers: {
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    environment: (loopbackUrl) => ({
      ANTHROPIC_BASE_URL: loopbackUrl,
      // Updates, telemetry and error reports have no way out; without this the CLI waits for them.
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...placeholders,
    }),
    secretNames: SECRET_NAMES,
  };
}

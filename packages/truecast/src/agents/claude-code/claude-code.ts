/** `claudeCode()`: adapter for Claude Code. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { lowerJsonSchema } from '@truecast/core/internal/schema/dialects/lower-json-schema';
import { createClaudeSessionStorage, type ClaudeSessionStorageOptions } from './claude-session.ts';
import { AGENT_HOSTS, withHostOf } from '../agent-hosts.ts';
import { withLineView } from '../stream/line-view.ts';
import type { ResumableAgentProvider } from '../../ports/agent-provider.ts';
import {
  buildClaudeCodeCommand,
  buildClaudeCodeInteractiveArgs,
  type ClaudeCodeEffort,
  type ClaudeCodeFlags,
  type ClaudeCodePermissionMode,
} from './claude-code-command.ts';
import { createClaudeCodeStreamParser } from './claude-code-stream.ts';
import { nonEmpty, PLACEHOLDER_KEY, type ModelAccess } from '../../ports/model-access.ts';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { readClaudeCodeLine } from './claude-code-lines.ts';
import { usageOfTokens } from './claude-code-usage.ts';

/** Options of `claudeCode()`. */
export interface ClaudeCodeOptions {
  /** Reasoning effort of the model. @default the CLI's default */
  readonly effort?: ClaudeCodeEffort;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, so that it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /**
   * Claude Code's permission mode for its tools. @default no checks:
   * `--dangerously-skip-permissions`
   */
  readonly permissionMode?: ClaudeCodePermissionMode;
  /**
   * Streams text deltas in addition to whole messages. Partial answers arrive live, but the stream is
   * larger. @default false
   */
  readonly streamDeltas?: boolean;
  /** Session store, if it differs from the CLI's default. */
  readonly sessionStorage?: ClaudeSessionStorageOptions;
}

const SECRET_NAMES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'] as const;

const CLAUDE_CODE_OPTIONS: OptionNames<ClaudeCodeOptions> = {
  effort: true,
  env: true,
  captureSessions: true,
  permissionMode: true,
  streamDeltas: true,
  sessionStorage: true,
};

/**
 * Creates an agent that runs Claude Code. The `claude` program must be on the PATH of the run's
 * environment.
 *
 * It logs in as the CLI does: with `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN`,
 * `CLAUDE_CODE_OAUTH_TOKEN`, or the CLI's stored login.
 *
 * @param model - a full name or an alias such as `opus`; if absent, the CLI's default
 *
 * @example
 * ```ts
 * const agent = claudeCode('claude-opus-4-8', { effort: 'high' });
 * ```
 */
export function claudeCode(model?: string, options: ClaudeCodeOptions = {}): ResumableAgentProvider {
  if (model !== undefined) assertKind(model, 'a string', 'model', 'Pass the name of a model, then options.');
  assertKnownOptions(options, { of: '`claudeCode()`', names: CLAUDE_CODE_OPTIONS });
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
    modelProvider: 'anthropic',
    env,
    // As root, the CLI skips permissions only if this variable declares a sandbox.
    sandboxEnv: { IS_SANDBOX: '1' },
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createClaudeSessionStorage(options.sessionStorage ?? {}, env),
    canFork: true,
    nativeMode: {
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
    hosts: (hostEnv) => withHostOf({ ...hostEnv, ...env }['ANTHROPIC_BASE_URL'], AGENT_HOSTS['claude-code']),
    hasFixedKey: (agentEnv) => SECRET_NAMES.some((name) => nonEmpty(agentEnv[name]) !== undefined),
    buildPrintCommand: (commandOptions) => buildClaudeCodeCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildClaudeCodeInteractiveArgs(flags, commandOptions),
    parseSessionUsage: parseClaudeSessionUsage,
    ...withLineView(() => createClaudeCodeStreamParser()),
  };
}

function claudeCodeModelAccess(env: Readonly<Record<string, string | undefined>>): ModelAccess | undefined {
  const apiKey = nonEmpty(env['ANTHROPIC_API_KEY']);
  const authToken = nonEmpty(env['ANTHROPIC_AUTH_TOKEN']);
  const oauthToken = nonEmpty(env['CLAUDE_CODE_OAUTH_TOKEN']);
  // Each kind of credential has its own header, and the CLI sends one for each variable that is
  // set. Set only those that the proxy replaces.
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
    wires: ['anthropic'],
    headers: {
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    environment: (loopbackUrl) => ({
      ANTHROPIC_BASE_URL: loopbackUrl,
      // Updates, telemetry and error reports are blocked. Without this variable the CLI waits for
      // them.
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...placeholders,
    }),
    secretNames: SECRET_NAMES,
  };
}

/** Returns the usage of the last message in a session file. Undefined if no message has one. */
function parseClaudeSessionUsage(content: string): Usage | undefined {
  for (const text of content.split('\n').toReversed()) {
    if (!text.startsWith('{') || !text.includes('"assistant"')) continue;
    const line = readClaudeCodeLine(jsonValueOf(text));
    if (line?.type === 'assistant' && line.message.usage !== undefined) {
      return usageOfTokens(line.message.usage);
    }
  }
  return undefined;
}

/** `geminiCli()`: adapter for Google's Gemini CLI. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { createGeminiSessionStorage, type GeminiSessionStorageOptions } from './gemini-session.ts';
import { AGENT_HOSTS, withHostOf } from '../agent-hosts.ts';
import { withLineView } from '../stream/line-view.ts';
import type { ResumableAgentProvider } from '../../ports/agent-provider.ts';
import {
  buildGeminiCommand,
  buildGeminiInteractiveArgs,
  type GeminiApprovalMode,
  type GeminiFlags,
} from './gemini-cli-command.ts';
import { createGeminiStreamParser } from './gemini-cli-stream.ts';
import { nonEmpty, PLACEHOLDER_KEY, type ModelAccess } from '../../ports/model-access.ts';

/** Options of `geminiCli()`. */
export interface GeminiCliOptions {
  /**
   * Actions that need no approval. In a run, all other actions are refused. @default every action
   */
  readonly approvalMode?: GeminiApprovalMode;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, so that it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /**
   * Base URL of a service with the Gemini API, without `/v1beta`. Its key is read from
   * `GEMINI_API_KEY`. @default `GOOGLE_GEMINI_BASE_URL` of `env`, else the CLI's default
   */
  readonly baseURL?: string;
  /** Session store, if it differs from the CLI's default. */
  readonly sessionStorage?: GeminiSessionStorageOptions;
}

const BASE_URL_NAME = 'GOOGLE_GEMINI_BASE_URL';
const DEFAULT_UPSTREAM_URL = 'https://generativelanguage.googleapis.com';

const GEMINI_CLI_OPTIONS: OptionNames<GeminiCliOptions> = {
  approvalMode: true,
  env: true,
  captureSessions: true,
  baseURL: true,
  sessionStorage: true,
};

/**
 * Creates an agent that runs Gemini CLI. The `gemini` and `node` programs must be on the PATH of
 * the run's environment.
 *
 * It logs in as the CLI does: with `GEMINI_API_KEY`, or a stored interactive login. With `baseURL`,
 * and inside a sandbox with `egress: "model"`, it uses the key. Settings that a run needs override
 * the user's in a separate home. The user's files stay unchanged.
 *
 * @param model - if absent, the CLI's default
 *
 * @example
 * ```ts
 * const agent = geminiCli('gemini-2.5-pro', { env: { GEMINI_API_KEY: 'key' } });
 * ```
 */
export function geminiCli(model?: string, options: GeminiCliOptions = {}): ResumableAgentProvider {
  if (model !== undefined) assertKind(model, 'a string', 'model', 'Pass the name of a model, then options.');
  assertKnownOptions(options, { of: '`geminiCli()`', names: GEMINI_CLI_OPTIONS });
  const { baseURL, approvalMode } = options;
  const env = { ...options.env, ...(baseURL !== undefined && { [BASE_URL_NAME]: baseURL }) };
  const hasBaseUrl = nonEmpty(env[BASE_URL_NAME]) !== undefined;
  const flags: GeminiFlags = { model, approvalMode, env, hasBaseUrl };
  return {
    name: 'gemini-cli',
    ...(model !== undefined && { model }),
    modelProvider: 'gcp.gemini',
    env,
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createGeminiSessionStorage(options.sessionStorage ?? {}, env),
    canFork: true,
    canUseMcp: true,
    hasEndEvent: true,
    program: 'gemini',
    installHint: 'npm install -g @google/gemini-cli',
    modelAccess: (hostEnv) => geminiModelAccess({ ...hostEnv, ...env }),
    hosts: (hostEnv) => {
      const all: Readonly<Record<string, string | undefined>> = { ...hostEnv, ...env };
      const hosts = withHostOf(all['CODE_ASSIST_ENDPOINT'], AGENT_HOSTS['gemini-cli']);
      return withHostOf(all[BASE_URL_NAME], hosts);
    },
    buildPrintCommand: (commandOptions) => buildGeminiCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildGeminiInteractiveArgs(flags, commandOptions),
    ...withLineView(() => createGeminiStreamParser()),
  };
}

function geminiModelAccess(env: Readonly<Record<string, string | undefined>>): ModelAccess | undefined {
  const key = nonEmpty(env['GEMINI_API_KEY']);
  if (key === undefined) return undefined;
  return {
    upstreamUrl: nonEmpty(env[BASE_URL_NAME]) ?? DEFAULT_UPSTREAM_URL,
    wires: ['gemini'],
    headers: { 'x-goog-api-key': key },
    environment: (loopbackUrl) => ({ [BASE_URL_NAME]: loopbackUrl, GEMINI_API_KEY: PLACEHOLDER_KEY }),
    secretNames: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  };
}

/** Owns `geminiCli()`: Google's Gemini CLI as an agent. */
import { createGeminiSessionStorage, type GeminiSessionStorageOptions } from '../session/gemini-session.ts';
import type { AgentProvider, AgentSessionStorage } from './agent-provider.ts';
import {
  buildGeminiCommand,
  buildGeminiInteractiveArgs,
  type GeminiApprovalMode,
  type GeminiFlags,
} from './gemini-cli-command.ts';
import { createGeminiStreamParser } from './gemini-cli-stream.ts';
import { nonEmpty, PLACEHOLDER_KEY, type ModelAccess } from './model-access.ts';

/** Options of `geminiCli()`. */
export interface GeminiCliOptions {
  /** What it may do without being asked, instead of everything; in a run nobody is asked, and the rest is refused. @default everything */
  readonly approvalMode?: GeminiApprovalMode;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, where it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /** Base URL of a service that speaks Gemini, without `/v1beta`; its key is read from `GEMINI_API_KEY`. @default `GOOGLE_GEMINI_BASE_URL` of `env`, else the CLI's own */
  readonly baseUrl?: string;
  /** Where sessions are, when not where the CLI puts them. */
  readonly sessionStorage?: GeminiSessionStorageOptions;
}

const BASE_URL_NAME = 'GOOGLE_GEMINI_BASE_URL';
const DEFAULT_UPSTREAM_URL = 'https://generativelanguage.googleapis.com';

/**
 * Makes Gemini CLI an agent. The `gemini` program must be on the PATH where it runs, and `node` beside it.
 *
 * It logs in as the CLI does: by `GEMINI_API_KEY`, or what a login on a terminal has stored; with `baseUrl` and inside a sandbox with
 * `egress: "model"`, by the key. Settings that a run needs are put over the user's in a home of its own; the user's files stay as they are.
 *
 * @param model - absent, the CLI's own default
 *
 * @example
 * ```ts
 * const agent = geminiCli('gemini-2.5-pro', { env: { GEMINI_API_KEY: 'key' } });
 * ```
 */
export function geminiCli(
  model?: string,
  options: GeminiCliOptions = {},
): AgentProvider & { readonly sessionStorage: AgentSessionStorage } {
  const { baseUrl, approvalMode } = options;
  const env = { ...options.env, ...(baseUrl !== undefined && { [BASE_URL_NAME]: baseUrl }) };
  const flags: GeminiFlags = { model, approvalMode, hasBaseUrl: nonEmpty(env[BASE_URL_NAME]) !== undefined };
  return {
    name: 'gemini-cli',
    ...(model !== undefined && { model }),
    env,
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createGeminiSessionStorage(options.sessionStorage ?? {}, env),
    canFork: true,
    canUseMcp: true,
    hasEndEvent: true,
    program: 'gemini',
    installHint: 'npm install -g @google/gemini-cli',
    modelAccess: (hostEnv) => geminiModelAccess({ ...hostEnv, ...env }),
    buildPrintCommand: (commandOptions) => buildGeminiCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildGeminiInteractiveArgs(flags, commandOptions),
    createStreamParser: () => createGeminiStreamParser(),
  };
}

function geminiModelAccess(env: Readonly<Record<string, string | undefined>>): ModelAccess | undefined {
  const key = nonEmpty(env['GEMINI_API_KEY']);
  if (key === undefined) return undefined;
  return {
    upstreamUrl: nonEmpty(env[BASE_URL_NAME]) ?? DEFAULT_UPSTREAM_URL,
    headers: { 'x-goog-api-key': key },
    environment: (loopbackUrl) => ({ [BASE_URL_NAME]: loopbackUrl, GEMINI_API_KEY: PLACEHOLDER_KEY }),
    secretNames: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  };
}

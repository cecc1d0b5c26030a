/** `codex()`: adapter for OpenAI's Codex. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { lowerJsonSchema } from '@truecast/core/internal/schema/dialects/lower-json-schema';
import { createCodexSessionStorage, type CodexSessionStorageOptions } from './codex-session.ts';
import { AGENT_HOSTS, withHostOf } from '../agent-hosts.ts';
import { withLineView } from '../stream/line-view.ts';
import type { ResumableAgentProvider } from '../../ports/agent-provider.ts';
import {
  buildCodexCommand,
  buildCodexInteractiveArgs,
  type CodexApprovalsReviewer,
  type CodexEffort,
  type CodexFlags,
} from './codex-command.ts';
import { createCodexStreamParser } from './codex-stream.ts';
import { createCodexTotals } from './codex-totals.ts';
import { nonEmpty, PLACEHOLDER_KEY, type ModelAccess } from '../../ports/model-access.ts';

/** Options of `codex()`. */
export interface CodexOptions {
  /** Reasoning effort of the model. @default the CLI's default */
  readonly effort?: CodexEffort;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, so that it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /** Approver of the model's commands. @default none: all commands run without approval */
  readonly approvalsReviewer?: CodexApprovalsReviewer;
  /**
   * Base URL of a service with OpenAI's Responses API. Its key is read from `OPENAI_API_KEY`.
   * @default `OPENAI_BASE_URL` of `env`, else the CLI's default
   */
  readonly baseURL?: string;
  /**
   * Further `-c` settings by dotted path. Values are TOML, as in `{ web_search: '"disabled"' }`. Do
   * not pass secrets. @default {}
   */
  readonly config?: Readonly<Record<string, string>>;
  /** Session store, if it differs from the CLI's default. */
  readonly sessionStorage?: CodexSessionStorageOptions;
}

const DEFAULT_UPSTREAM_URL = 'https://api.openai.com/v1';

const CODEX_OPTIONS: OptionNames<CodexOptions> = {
  effort: true,
  env: true,
  captureSessions: true,
  approvalsReviewer: true,
  baseURL: true,
  config: true,
  sessionStorage: true,
};

/**
 * Creates an agent that runs Codex. The `codex` program must be on the PATH of the run's
 * environment.
 *
 * It logs in as the CLI does: with `CODEX_API_KEY`, or the login stored by `codex login`. An
 * `OPENAI_API_KEY` in `env` is used as `CODEX_API_KEY`.
 *
 * @param model - if absent, the CLI's default
 *
 * @example
 * ```ts
 * const agent = codex('gpt-5.4', { effort: 'high' });
 * ```
 */
export function codex(model?: string, options: CodexOptions = {}): ResumableAgentProvider {
  if (model !== undefined) assertKind(model, 'a string', 'model', 'Pass the name of a model, then options.');
  assertKnownOptions(options, { of: '`codex()`', names: CODEX_OPTIONS });
  const env = withApiKey(options.env ?? {});
  const totals = createCodexTotals();
  const flags: CodexFlags = {
    model,
    effort: options.effort,
    approvalsReviewer: options.approvalsReviewer,
    baseURL: options.baseURL ?? nonEmpty(env['OPENAI_BASE_URL']),
    keyName: 'OPENAI_API_KEY',
    config: options.config ?? {},
  };
  return {
    name: 'codex',
    ...(model !== undefined && { model }),
    modelProvider: 'openai',
    env,
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createCodexSessionStorage(options.sessionStorage ?? {}, env, totals),
    canFork: true,
    nativeMode: {
      passes: 'file',
      answersIn: 'text',
      lowerSchema: (jsonSchema) => lowerJsonSchema(jsonSchema, 'codex'),
    },
    canUseMcp: true,
    hasEndEvent: true,
    program: 'codex',
    installHint: 'npm install -g @openai/codex',
    modelAccess: (hostEnv) => codexModelAccess({ ...hostEnv, ...env }, options.baseURL),
    hosts: () => withHostOf(flags.baseURL, AGENT_HOSTS.codex),
    // With its default provider, the CLI ignores `OPENAI_API_KEY` and can have a stored login.
    hasFixedKey: (agentEnv) =>
      nonEmpty(agentEnv[flags.baseURL === undefined ? 'CODEX_API_KEY' : 'OPENAI_API_KEY']) !== undefined,
    buildPrintCommand: (commandOptions) => buildCodexCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildCodexInteractiveArgs(flags, commandOptions),
    ...withLineView(({ resumeSession } = {}) => createCodexStreamParser({ totals, resumeSession })),
  };
}

/**
 * The CLI's default provider reads `CODEX_API_KEY`. A provider with a base URL reads the configured
 * variable. A key under either name works for both.
 */
function withApiKey(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const key = nonEmpty(env['CODEX_API_KEY']) ?? nonEmpty(env['OPENAI_API_KEY']);
  return key === undefined ? env : { CODEX_API_KEY: key, OPENAI_API_KEY: key, ...env };
}

function codexModelAccess(
  env: Readonly<Record<string, string | undefined>>,
  baseURL: string | undefined,
): ModelAccess | undefined {
  const key = nonEmpty(env['CODEX_API_KEY']) ?? nonEmpty(env['OPENAI_API_KEY']);
  if (key === undefined) return undefined;
  return {
    upstreamUrl: baseURL ?? nonEmpty(env['OPENAI_BASE_URL']) ?? DEFAULT_UPSTREAM_URL,
    wires: ['openai'],
    headers: { authorization: `Bearer ${key}` },
    // The CLI has no variable for the base URL. `modelBaseUrl` adds it to the command line.
    environment: () => ({ OPENAI_API_KEY: PLACEHOLDER_KEY }),
    secretNames: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  };
}

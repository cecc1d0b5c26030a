/** Owns `codex()`: OpenAI's Codex as an agent. */
import { lowerJsonSchema } from '../../schema/dialects/lower-json-schema.ts';
import { createCodexSessionStorage, type CodexSessionStorageOptions } from '../session/codex-session.ts';
import type { AgentProvider, AgentSessionStorage } from './agent-provider.ts';
import {
  buildCodexCommand,
  buildCodexInteractiveArgs,
  type CodexApprovalsReviewer,
  type CodexEffort,
  type CodexFlags,
} from './codex-command.ts';
import { createCodexStreamParser } from './codex-stream.ts';
import { createCodexTotals } from './codex-totals.ts';
import { nonEmpty, PLACEHOLDER_KEY, type ModelAccess } from './model-access.ts';

/** Options of `codex()`. */
export interface CodexOptions {
  /** @default the CLI's own */
  readonly effort?: CodexEffort;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, where it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /** Who approves commands that the model asks for, instead of running all of them. @default nobody is asked */
  readonly approvalsReviewer?: CodexApprovalsReviewer;
  /** Base URL of a service that speaks OpenAI's Responses; its key is read from `OPENAI_API_KEY`. @default `OPENAI_BASE_URL` of `env`, else the CLI's own */
  readonly baseUrl?: string;
  /** Further `-c` settings, by dotted path; values are TOML, as in `{ web_search: '"disabled"' }`. No secrets. @default {} */
  readonly config?: Readonly<Record<string, string>>;
  /** Where sessions are, when not where the CLI puts them. */
  readonly sessionStorage?: CodexSessionStorageOptions;
}

const DEFAULT_UPSTREAM_URL = 'https://api.openai.com/v1';

/**
 * Makes Codex an agent. The `codex` program must be on the PATH where it runs.
 *
 * It logs in as the CLI does: by `CODEX_API_KEY`, or what `codex login` has stored. An `OPENAI_API_KEY` in `env` serves as `CODEX_API_KEY`.
 *
 * @param model - absent, the CLI's own default
 *
 * @example
 * ```ts
 * const agent = codex('gpt-5.4', { effort: 'high' });
 * ```
 */
export function codex(
  model?: string,
  options: CodexOptions = {},
): AgentProvider & { readonly sessionStorage: AgentSessionStorage } {
  const env = withApiKey(options.env ?? {});
  const totals = createCodexTotals();
  const flags: CodexFlags = {
    model,
    effort: options.effort,
    approvalsReviewer: options.approvalsReviewer,
    baseUrl: options.baseUrl ?? nonEmpty(env['OPENAI_BASE_URL']),
    keyName: 'OPENAI_API_KEY',
    config: options.config ?? {},
  };
  return {
    name: 'codex',
    ...(model !== undefined && { model }),
    env,
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createCodexSessionStorage(options.sessionStorage ?? {}, env, totals),
    canFork: true,
    nativeRoute: {
      passes: 'file',
      answersIn: 'text',
      lowerSchema: (jsonSchema) => lowerJsonSchema(jsonSchema, 'codex'),
    },
    canUseMcp: true,
    hasEndEvent: true,
    program: 'codex',
    installHint: 'npm install -g @openai/codex',
    modelAccess: (hostEnv) => codexModelAccess({ ...hostEnv, ...env }, options.baseUrl),
    buildPrintCommand: (commandOptions) => buildCodexCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildCodexInteractiveArgs(flags, commandOptions),
    createStreamParser: ({ resumeSession } = {}) => createCodexStreamParser({ totals, resumeSession }),
  };
}

/** The CLI's own provider reads `CODEX_API_KEY`, one with a base URL the variable that it is told: a key given by either name serves both. */
function withApiKey(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const key = nonEmpty(env['CODEX_API_KEY']) ?? nonEmpty(env['OPENAI_API_KEY']);
  return key === undefined ? env : { CODEX_API_KEY: key, OPENAI_API_KEY: key, ...env };
}

function codexModelAccess(
  env: Readonly<Record<string, string | undefined>>,
  baseUrl: string | undefined,
): ModelAccess | undefined {
  const key = nonEmpty(env['CODEX_API_KEY']) ?? nonEmpty(env['OPENAI_API_KEY']);
  if (key === undefined) return undefined;
  return {
    upstreamUrl: baseUrl ?? nonEmpty(env['OPENAI_BASE_URL']) ?? DEFAULT_UPSTREAM_URL,
    headers: { authorization: `Bearer ${key}` },
    // The base URL is no variable of the CLI's: it goes into the command line by `modelBaseUrl`.
    environment: () => ({ OPENAI_API_KEY: PLACEHOLDER_KEY }),
    secretNames: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  };
}

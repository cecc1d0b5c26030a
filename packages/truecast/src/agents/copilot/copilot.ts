/** `copilot()`: adapter for GitHub's Copilot CLI. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { createCopilotSessionStorage, type CopilotSessionStorageOptions } from './copilot-session.ts';
import { AGENT_HOSTS, withHostOf } from '../agent-hosts.ts';
import { withLineView } from '../stream/line-view.ts';
import type { ResumableAgentProvider } from '../../ports/agent-provider.ts';
import {
  buildCopilotCommand,
  buildCopilotInteractiveArgs,
  type CopilotEffort,
  type CopilotFlags,
} from './copilot-command.ts';
import { createCopilotStreamParser } from './copilot-stream.ts';
import { nonEmpty, PLACEHOLDER_KEY, type ModelAccess } from '../../ports/model-access.ts';

/** Options of `copilot()`. */
export interface CopilotOptions {
  /** Reasoning effort of the model. @default the CLI's default */
  readonly effort?: CopilotEffort;
  /** Environment for the agent. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Copies each session to the host, so that it can be resumed. @default true */
  readonly captureSessions?: boolean;
  /** Session store, if it differs from the CLI's default. */
  readonly sessionStorage?: CopilotSessionStorageOptions;
}

const COPILOT_OPTIONS: OptionNames<CopilotOptions> = {
  effort: true,
  env: true,
  captureSessions: true,
  sessionStorage: true,
};

/**
 * Creates an agent that runs GitHub's Copilot CLI. The `copilot` program must be on the PATH of the
 * run's environment.
 *
 * It logs in as the CLI does: with `COPILOT_GITHUB_TOKEN`, or the login stored by `copilot login`.
 * Set `COPILOT_PROVIDER_BASE_URL` and `COPILOT_PROVIDER_API_KEY` for a custom model service. Add
 * `COPILOT_OFFLINE=true` to send no requests to GitHub.
 *
 * @param model - if absent, the CLI's default; required for a custom model service
 *
 * @example
 * ```ts
 * const agent = copilot('gpt-5.4', { effort: 'high' });
 * ```
 */
export function copilot(model?: string, options: CopilotOptions = {}): ResumableAgentProvider {
  if (model !== undefined) assertKind(model, 'a string', 'model', 'Pass the name of a model, then options.');
  assertKnownOptions(options, { of: '`copilot()`', names: COPILOT_OPTIONS });
  const { env = {}, effort } = options;
  const flags: CopilotFlags = { model, effort };
  return {
    name: 'copilot',
    ...(model !== undefined && { model }),
    env,
    captureSessions: options.captureSessions ?? true,
    sessionStorage: createCopilotSessionStorage(options.sessionStorage ?? {}, env),
    canFork: true,
    canUseMcp: true,
    hasEndEvent: true,
    program: 'copilot',
    installHint: 'npm install -g @github/copilot',
    modelAccess: (hostEnv) => copilotModelAccess({ ...hostEnv, ...env }),
    hosts: (hostEnv) => {
      const all = { ...hostEnv, ...env };
      const hosts = withHostOf(all['COPILOT_API_URL'], AGENT_HOSTS.copilot);
      return withHostOf(all['COPILOT_PROVIDER_BASE_URL'], hosts);
    },
    buildPrintCommand: (commandOptions) => buildCopilotCommand(flags, commandOptions),
    buildInteractiveArgs: (commandOptions) => buildCopilotInteractiveArgs(flags, commandOptions),
    ...withLineView(() => createCopilotStreamParser()),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that describe the service and contain no key. */
const SETTINGS = [
  'COPILOT_MODEL',
  ...[
    'TYPE',
    'WIRE_API',
    'AZURE_API_VERSION',
    'MODEL_ID',
    'WIRE_MODEL',
    'MAX_PROMPT_TOKENS',
    'MAX_OUTPUT_TOKENS',
  ].map((name) => `COPILOT_PROVIDER_${name}`),
];

const API_KEY = 'COPILOT_PROVIDER_API_KEY';
const BEARER_TOKEN = 'COPILOT_PROVIDER_BEARER_TOKEN';
const KEY_COMMAND = 'COPILOT_PROVIDER_API_KEY_COMMAND';
const HEADERS = 'COPILOT_PROVIDER_HEADERS';

/**
 * Returns undefined without a custom service: Copilot's own service logs in at one host and serves
 * models at another. Also undefined if a command creates a new key for each request.
 */
function copilotModelAccess(env: Environment): ModelAccess | undefined {
  const upstreamUrl = nonEmpty(env['COPILOT_PROVIDER_BASE_URL']);
  if (upstreamUrl === undefined || nonEmpty(env[KEY_COMMAND]) !== undefined) return undefined;
  const settings = Object.fromEntries(
    SETTINGS.flatMap((name) => {
      const value = nonEmpty(env[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return {
    upstreamUrl,
    headers: { ...loginHeaders(env), ...ownHeaders(env[HEADERS] ?? '') },
    environment: (loopbackUrl) => ({
      ...settings,
      COPILOT_PROVIDER_BASE_URL: loopbackUrl,
      [nonEmpty(env[BEARER_TOKEN]) === undefined ? API_KEY : BEARER_TOKEN]: PLACEHOLDER_KEY,
      // Login, telemetry and updates are blocked.
      COPILOT_OFFLINE: 'true',
    }),
    secretNames: [API_KEY, BEARER_TOKEN, HEADERS, 'COPILOT_GITHUB_TOKEN'],
  };
}

/** The headers that the CLI sends. A local server needs none. */
function loginHeaders(env: Environment): Readonly<Record<string, string>> {
  const bearer = nonEmpty(env[BEARER_TOKEN]);
  const key = nonEmpty(env[API_KEY]);
  if (bearer !== undefined) return { authorization: `Bearer ${bearer}` };
  if (key === undefined) return {};
  switch (env['COPILOT_PROVIDER_TYPE']) {
    case 'anthropic':
      return { 'x-api-key': key };
    case 'azure':
      return { 'api-key': key };
    default:
      return { authorization: `Bearer ${key}` };
  }
}

/** Lines of the form `Name: value`. */
function ownHeaders(text: string): Readonly<Record<string, string>> {
  const lines = text.split(/\n|\\n/u).map((line) => /^\s*([\w-]+)\s*:\s*(.*?)\s*$/u.exec(line));
  return Object.fromEntries(
    lines.flatMap((match) => (match?.[1] === undefined ? [] : [[match[1].toLowerCase(), match[2] ?? '']])),
  );
}

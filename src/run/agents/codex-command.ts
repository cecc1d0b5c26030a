/** Owns Codex's command lines. Pure. */
import { UsageError } from '../../errors/usage-error.ts';
import { assertSessionId } from '../session/session-id.ts';
import type { AgentCommandOptions, PrintCommand } from './agent-provider.ts';
import { joinCommand } from './shell-quote.ts';

/** How much the model thinks. */
export type CodexEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

/** Who is asked before a command runs: nobody (undefined), the user, or a reviewing model. */
export type CodexApprovalsReviewer = 'user' | 'auto_review';

/** What stands in every command line of one provider. */
export interface CodexFlags {
  readonly model: string | undefined;
  readonly effort: CodexEffort | undefined;
  readonly approvalsReviewer: CodexApprovalsReviewer | undefined;
  /** Base URL of the model's service, when it is not the CLI's own. */
  readonly baseUrl: string | undefined;
  /** Name of the environment variable that holds the key for `baseUrl`. */
  readonly keyName: string;
  /** Further configuration, by its dotted path; values are TOML. */
  readonly config: Readonly<Record<string, string>>;
}

/** Builds the command that runs one prompt, which goes in on stdin, and prints its events. */
export function buildCodexCommand(flags: CodexFlags, options: AgentCommandOptions): PrintCommand {
  return {
    command: joinCommand([
      'codex',
      'exec',
      ...sessionArgs(options),
      '--json',
      '--skip-git-repo-check',
      ...commonArgs(flags, options),
      ...schemaArgs(options),
      '-',
    ]),
    stdin: options.prompt,
  };
}

/** Builds the arguments of a session on a terminal. */
export function buildCodexInteractiveArgs(
  flags: CodexFlags,
  options: AgentCommandOptions,
): readonly string[] {
  // Behind `--`, a prompt that begins with a hyphen is no option.
  const prompt = options.prompt === '' ? [] : ['--', options.prompt];
  return ['codex', ...sessionArgs(options), ...commonArgs(flags, options), ...prompt];
}

function sessionArgs({ resumeSession, forkSession }: AgentCommandOptions): readonly string[] {
  if (resumeSession === undefined) return [];
  return [forkSession === true ? 'fork' : 'resume', assertSessionId(resumeSession)];
}

function schemaArgs({ jsonSchema, jsonSchemaPath }: AgentCommandOptions): readonly string[] {
  if (jsonSchemaPath !== undefined) return ['--output-schema', jsonSchemaPath];
  if (jsonSchema === undefined) return [];
  throw new UsageError('Codex reads its schema from a file. Pass `jsonSchemaPath` beside `jsonSchema`.');
}

function commonArgs(flags: CodexFlags, options: AgentCommandOptions): readonly string[] {
  const { model, effort } = flags;
  const baseUrl = options.modelBaseUrl ?? flags.baseUrl;
  return [
    ...permissionArgs(flags, options),
    ...(model === undefined ? [] : ['-m', model]),
    ...(effort === undefined ? [] : setting('model_reasoning_effort', text(effort))),
    // Without a network, the CLI waits for its analytics for five seconds at the end.
    ...setting('analytics.enabled', 'false'),
    ...(baseUrl === undefined ? [] : providerArgs(baseUrl, flags.keyName)),
    ...mcpArgs(options),
    ...Object.entries(flags.config).flatMap(([key, value]) => setting(key, value)),
  ];
}

/** `exec` knows neither `-a`, nor does `exec resume` know `-s`: only settings work everywhere. */
function permissionArgs({ approvalsReviewer }: CodexFlags, options: AgentCommandOptions): readonly string[] {
  if (approvalsReviewer !== undefined) {
    return [
      ...setting('approval_policy', text('on-request')),
      ...setting('sandbox_mode', text('danger-full-access')),
      ...setting('approvals_reviewer', text(approvalsReviewer)),
    ];
  }
  return options.dangerouslySkipPermissions ? ['--dangerously-bypass-approvals-and-sandbox'] : [];
}

/** The CLI reads no base URL from the environment; its own provider tries WebSockets first, which a proxy need not speak. */
function providerArgs(baseUrl: string, keyName: string): readonly string[] {
  const provider = 'model_providers.truecast';
  return [
    ...setting('model_provider', text('truecast')),
    ...setting(`${provider}.name`, text('truecast')),
    ...setting(`${provider}.base_url`, text(baseUrl)),
    ...setting(`${provider}.wire_api`, text('responses')),
    ...setting(`${provider}.env_key`, text(keyName)),
  ];
}

/** Longest that one call of a tool may take, in seconds: what judges an answer may run tests first. */
const TOOL_TIMEOUT_SECONDS = 3_600;

/** The CLI's own 10 s are short for a machine under load. */
const STARTUP_TIMEOUT_SECONDS = 60;

/** Adds to the servers of the user's configuration. */
function mcpArgs({ mcpServer }: AgentCommandOptions): readonly string[] {
  if (mcpServer === undefined) return [];
  const server = `mcp_servers.${mcpServer.name}`;
  return [
    ...setting(`${server}.command`, text(mcpServer.command)),
    ...setting(`${server}.args`, JSON.stringify(mcpServer.args)),
    // Neither the user nor a reviewing model is asked whether the answer may be handed in.
    ...setting(`${server}.default_tools_approval_mode`, text('approve')),
    ...setting(`${server}.startup_timeout_sec`, String(STARTUP_TIMEOUT_SECONDS)),
    ...setting(`${server}.tool_timeout_sec`, String(TOOL_TIMEOUT_SECONDS)),
  ];
}

function setting(key: string, value: string): readonly string[] {
  return ['-c', `${key}=${value}`];
}

/** A TOML basic string; JSON's escapes are TOML's too. */
function text(value: string): string {
  return JSON.stringify(value);
}

/** Command lines of Codex. Pure. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertSessionId } from '../sessions/session-id.ts';
import type { AgentCommandOptions, PrintCommand } from '../../ports/agent-provider.ts';
import { joinCommand } from '../../support/shell-quote.ts';

/** Reasoning effort of the model. */
export type CodexEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

/** Approver of commands: the user or a reviewing model. If undefined, no approval is requested. */
export type CodexApprovalsReviewer = 'user' | 'auto_review';

/** Flags common to all command lines of one provider. */
export interface CodexFlags {
  readonly model: string | undefined;
  readonly effort: CodexEffort | undefined;
  readonly approvalsReviewer: CodexApprovalsReviewer | undefined;
  /** Base URL of the model service, if it is not the CLI's default. */
  readonly baseURL: string | undefined;
  /** Name of the environment variable with the key for `baseURL`. */
  readonly keyName: string;
  /** Further configuration by dotted path. Values are TOML. */
  readonly config: Readonly<Record<string, string>>;
}

/** Builds the command that runs one prompt from stdin and prints its events. */
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

/** Builds the arguments of an interactive session. */
export function buildCodexInteractiveArgs(flags: CodexFlags, options: AgentCommandOptions): string[] {
  // After `--`, a prompt with a leading hyphen is not parsed as an option.
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
  throw new UsageError('Codex reads its schema from a file. Pass `jsonSchemaPath` with `jsonSchema`.');
}

function commonArgs(flags: CodexFlags, options: AgentCommandOptions): readonly string[] {
  const { model, effort } = flags;
  const baseURL = options.modelBaseUrl ?? flags.baseURL;
  return [
    ...permissionArgs(flags, options),
    ...(model === undefined ? [] : ['-m', model]),
    ...(effort === undefined ? [] : setting('model_reasoning_effort', text(effort))),
    // Without a network, the CLI waits five seconds for its analytics at exit.
    ...setting('analytics.enabled', 'false'),
    ...(baseURL === undefined ? [] : providerArgs(baseURL, flags.keyName)),
    ...mcpArgs(options),
    ...Object.entries(flags.config).flatMap(([key, value]) => setting(key, value)),
  ];
}

/**
 * `exec` does not support `-a`, and `exec resume` does not support `-s`. Settings work with both.
 */
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

/**
 * The CLI reads no base URL from the environment. Its default provider tries WebSockets first,
 * which a proxy might not support.
 */
function providerArgs(baseURL: string, keyName: string): readonly string[] {
  const provider = 'model_providers.truecast';
  return [
    ...setting('model_provider', text('truecast')),
    ...setting(`${provider}.name`, text('truecast')),
    ...setting(`${provider}.base_url`, text(baseURL)),
    ...setting(`${provider}.wire_api`, text('responses')),
    ...setting(`${provider}.env_key`, text(keyName)),
  ];
}

/** Timeout of one tool call in seconds. Validation of an answer can run tests first. */
const TOOL_TIMEOUT_SECONDS = 3_600;

/** The CLI's default of 10 s is too short on a machine under load. */
const STARTUP_TIMEOUT_SECONDS = 60;

/** Adds the server to those of the user's configuration. */
function mcpArgs({ mcpServer }: AgentCommandOptions): readonly string[] {
  if (mcpServer === undefined) return [];
  const server = `mcp_servers.${mcpServer.name}`;
  return [
    ...setting(`${server}.command`, text(mcpServer.command)),
    ...setting(`${server}.args`, JSON.stringify(mcpServer.args)),
    // The run itself offers these tools: they need no approval by the user or a reviewing model.
    ...setting(`${server}.default_tools_approval_mode`, text('approve')),
    // Codex begins its first turn without a server that is still starting, unless it requires it.
    ...setting(`${server}.required`, 'true'),
    ...setting(`${server}.startup_timeout_sec`, String(STARTUP_TIMEOUT_SECONDS)),
    ...setting(`${server}.tool_timeout_sec`, String(TOOL_TIMEOUT_SECONDS)),
  ];
}

function setting(key: string, value: string): readonly string[] {
  return ['-c', `${key}=${value}`];
}

/** Returns a TOML basic string. JSON's escapes are valid in TOML. */
function text(value: string): string {
  return JSON.stringify(value);
}

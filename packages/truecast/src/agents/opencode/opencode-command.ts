/** Command lines of OpenCode. Pure. */
import { assertSessionId } from '../sessions/session-id.ts';
import type { AgentCommandOptions, PrintCommand } from '../../ports/agent-provider.ts';
import { CONFIG_NAME, opencodeConfig } from './opencode-config.ts';
import type { ModelService } from '../stream/model-services.ts';
import { joinCommand } from '../../support/shell-quote.ts';

/**
 * Variable that passes the configuration to the command. The caller's part can contain keys, which
 * must not appear in a command line.
 */
const OWN_CONFIG_NAME = 'TRUECAST_OPENCODE_CONFIG';

/** Flags common to all command lines of one provider. */
export interface OpencodeFlags {
  readonly model: string | undefined;
  readonly variant: string | undefined;
  /** Built-in agent of the CLI: `build` or `plan`. */
  readonly agent: string | undefined;
  /** The model's service, if known. */
  readonly service: ModelService | undefined;
  /** Base URL of that service, if it is not the default. */
  readonly baseURL: string | undefined;
  /** The caller's `OPENCODE_CONFIG_CONTENT`. */
  readonly config: string | undefined;
}

/** Builds the command that runs one prompt from stdin and prints its events. */
export function buildOpencodeCommand(flags: OpencodeFlags, options: AgentCommandOptions): PrintCommand {
  const config = opencodeConfig({
    given: flags.config,
    service: flags.service,
    baseURL: options.modelBaseUrl ?? flags.baseURL,
    mcpServer: options.mcpServer,
  });
  const command = joinCommand([
    'opencode',
    'run',
    '--format',
    'json',
    '--thinking',
    // An empty title is derived from the prompt. Without the flag, a second model generates the
    // title.
    '--title',
    '',
    ...commonArgs(flags, options),
    ...(flags.variant === undefined ? [] : ['--variant', flags.variant]),
  ]);
  return {
    // A sandbox with a model proxy also sets this variable. The assignment in the command overrides
    // it.
    command: config === undefined ? command : `${CONFIG_NAME}="$${OWN_CONFIG_NAME}" ${command}`,
    stdin: options.prompt,
    env: {
      // Prevents an untested version from being installed during a run.
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      ...(config !== undefined && { [OWN_CONFIG_NAME]: config }),
    },
  };
}

/** Builds the arguments of an interactive session. */
export function buildOpencodeInteractiveArgs(flags: OpencodeFlags, options: AgentCommandOptions): string[] {
  // In a single `--prompt=` argument, a prompt with a leading hyphen is not parsed as an option.
  return [
    'opencode',
    ...commonArgs(flags, options),
    ...(options.prompt === '' ? [] : [`--prompt=${options.prompt}`]),
  ];
}

function commonArgs({ model, agent }: OpencodeFlags, options: AgentCommandOptions): readonly string[] {
  return [
    ...(model === undefined ? [] : ['--model', model]),
    ...(agent === undefined ? [] : ['--agent', agent]),
    // Newer versions call it `--auto` and still accept the older name.
    ...(options.dangerouslySkipPermissions ? ['--dangerously-skip-permissions'] : []),
    ...sessionArgs(options),
  ];
}

function sessionArgs({ resumeSession, forkSession }: AgentCommandOptions): readonly string[] {
  if (resumeSession === undefined) return [];
  return ['--session', assertSessionId(resumeSession), ...(forkSession === true ? ['--fork'] : [])];
}

/** Owns OpenCode's command lines. Pure. */
import { assertSessionId } from '../session/session-id.ts';
import type { AgentCommandOptions, PrintCommand } from './agent-provider.ts';
import { CONFIG_NAME, opencodeConfig } from './opencode-config.ts';
import type { ModelService } from './model-services.ts';
import { joinCommand } from './shell-quote.ts';

/** Carries the configuration to the command, so that it stands in no command line: the caller's part may hold keys. */
const OWN_CONFIG_NAME = 'TRUECAST_OPENCODE_CONFIG';

/** What stands in every command line of one provider. */
export interface OpencodeFlags {
  readonly model: string | undefined;
  readonly variant: string | undefined;
  /** One of the CLI's own agents, `build` or `plan`. */
  readonly agent: string | undefined;
  /** The model's service, where it is known. */
  readonly service: ModelService | undefined;
  /** Base URL of that service, when it is not its own. */
  readonly baseUrl: string | undefined;
  /** The caller's `OPENCODE_CONFIG_CONTENT`. */
  readonly config: string | undefined;
}

/** Builds the command that runs one prompt, which goes in on stdin, and prints its events. */
export function buildOpencodeCommand(flags: OpencodeFlags, options: AgentCommandOptions): PrintCommand {
  const config = opencodeConfig({
    given: flags.config,
    service: flags.service,
    baseUrl: options.modelBaseUrl ?? flags.baseUrl,
    mcpServer: options.mcpServer,
  });
  const command = joinCommand([
    'opencode',
    'run',
    '--format',
    'json',
    '--thinking',
    // An empty title is made from the prompt; without one, a second model is asked for it.
    '--title',
    '',
    ...commonArgs(flags, options),
    ...(flags.variant === undefined ? [] : ['--variant', flags.variant]),
  ]);
  return {
    // A sandbox that carries the model's requests sets the variable itself: what stands in the command comes after.
    command: config === undefined ? command : `${CONFIG_NAME}="$${OWN_CONFIG_NAME}" ${command}`,
    stdin: options.prompt,
    env: {
      // A new version in the middle of a run is not what was tested.
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      ...(config !== undefined && { [OWN_CONFIG_NAME]: config }),
    },
  };
}

/** Builds the arguments of a session on a terminal. */
export function buildOpencodeInteractiveArgs(
  flags: OpencodeFlags,
  options: AgentCommandOptions,
): readonly string[] {
  // In one argument, a prompt that begins with a hyphen is no option.
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
    // Newer versions call it `--auto`, and take the older name too.
    ...(options.dangerouslySkipPermissions ? ['--dangerously-skip-permissions'] : []),
    ...sessionArgs(options),
  ];
}

function sessionArgs({ resumeSession, forkSession }: AgentCommandOptions): readonly string[] {
  if (resumeSession === undefined) return [];
  return ['--session', assertSessionId(resumeSession), ...(forkSession === true ? ['--fork'] : [])];
}

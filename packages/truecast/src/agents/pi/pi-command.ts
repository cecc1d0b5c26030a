/** Command lines of Pi. Pure. */
import { assertSessionId } from '../sessions/session-id.ts';
import type { AgentCommandOptions, PrintCommand } from '../../ports/agent-provider.ts';
import type { ModelService } from '../stream/model-services.ts';
import { assertCommandFits, joinCommand, quoteArgument } from '../../support/shell-quote.ts';

/** Reasoning effort of the model. */
export type PiThinking = 'off' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

/** Flags common to all command lines of one provider. */
export interface PiFlags {
  readonly model: string | undefined;
  readonly thinking: PiThinking | undefined;
  /** The model's service, if known. */
  readonly service: ModelService | undefined;
  /** True if the service has a custom base URL. */
  readonly hasBaseUrl: boolean;
}

/** Builds the command that runs one prompt from stdin and prints its events. */
export function buildPiCommand(flags: PiFlags, options: AgentCommandOptions): PrintCommand {
  const args = ['pi', '--print', '--mode', 'json', ...commonArgs(flags, options)];
  const extension = extensionOf(flags, options);
  const command =
    extension === undefined
      ? joinCommand(args)
      : assertCommandFits(`${writeExtension(extension)} && ${joinCommand(args)} ${EXTENSION_ARGS}`);
  return { command, stdin: options.prompt };
}

/** Builds the arguments of an interactive session. */
export function buildPiInteractiveArgs(flags: PiFlags, options: AgentCommandOptions): string[] {
  const { prompt } = options;
  // The CLI does not support `--`. After a space, a prompt is not parsed as an option or an
  // attached file.
  const message = /^[-@]/u.test(prompt) ? ` ${prompt}` : prompt;
  const args = ['pi', ...commonArgs(flags, options), ...(message === '' ? [] : [message])];
  const extension = extensionOf(flags, options);
  if (extension === undefined) return args;
  return ['sh', '-c', `${writeExtension(extension)} && "$0" "$@" ${EXTENSION_ARGS}`, ...args];
}

function commonArgs({ model, thinking }: PiFlags, options: AgentCommandOptions): readonly string[] {
  return [
    ...(model === undefined ? [] : ['--model', model]),
    ...(thinking === undefined ? [] : ['--thinking', thinking]),
    ...sessionArgs(options),
  ];
}

function sessionArgs({ resumeSession, forkSession }: AgentCommandOptions): readonly string[] {
  if (resumeSession === undefined) return [];
  return [forkSession === true ? '--fork' : '--session', assertSessionId(resumeSession)];
}

/** `$truecast` is the folder created by `writeExtension`. */
const EXTENSION_ARGS = '--extension "$truecast/model-service.mjs"';

/**
 * Pi extension that sets the base URL of the model's service. The CLI reads no base URL from its
 * environment or command line, and its `models.json` belongs to the user.
 */
function extensionOf(
  { service, hasBaseUrl }: PiFlags,
  { modelBaseUrl }: AgentCommandOptions,
): string | undefined {
  if (service === undefined || (modelBaseUrl === undefined && !hasBaseUrl)) return undefined;
  const baseUrl = modelBaseUrl ?? service.baseUrl;
  const config = service.isKnown ? { baseUrl } : { baseUrl, ...ownProvider(service) };
  return `export default (pi) => pi.registerProvider(${JSON.stringify(service.provider)}, ${JSON.stringify(config)});`;
}

/** Metadata that the CLI needs for an unknown model. The limits are the CLI's defaults. */
function ownProvider({ keyName, modelId }: ModelService): Readonly<Record<string, unknown>> {
  return {
    api: 'openai-completions',
    // Name of the variable with the key. If it is not set, the name itself is sent, and a local
    // server accepts any key.
    apiKey: keyName,
    models: [
      {
        id: modelId,
        name: modelId,
        reasoning: false,
        input: ['text'],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 128_000,
        maxTokens: 16_384,
      },
    ],
  };
}

function writeExtension(code: string): string {
  return `truecast=$(mktemp -d) && trap 'rm -rf "$truecast"' EXIT && printf %s ${quoteArgument(code)} > "$truecast/model-service.mjs"`;
}

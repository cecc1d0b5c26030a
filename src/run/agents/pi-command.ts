/** Owns Pi's command lines. Pure. */
import { assertSessionId } from '../session/session-id.ts';
import type { AgentCommandOptions, PrintCommand } from './agent-provider.ts';
import type { ModelService } from './model-services.ts';
import { assertCommandFits, joinCommand, quoteArgument } from './shell-quote.ts';

/** How much the model thinks. */
export type PiThinking = 'off' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

/** What stands in every command line of one provider. */
export interface PiFlags {
  readonly model: string | undefined;
  readonly thinking: PiThinking | undefined;
  /** The model's service, where it is known. */
  readonly service: ModelService | undefined;
  /** True when the service is reached by the caller's base URL. */
  readonly hasBaseUrl: boolean;
}

/** Builds the command that runs one prompt, which goes in on stdin, and prints its events. */
export function buildPiCommand(flags: PiFlags, options: AgentCommandOptions): PrintCommand {
  const args = ['pi', '--print', '--mode', 'json', ...commonArgs(flags, options)];
  const extension = extensionOf(flags, options);
  const command =
    extension === undefined
      ? joinCommand(args)
      : assertCommandFits(`${writeExtension(extension)} && ${joinCommand(args)} ${EXTENSION_ARGS}`);
  return { command, stdin: options.prompt };
}

/** Builds the arguments of a session on a terminal. */
export function buildPiInteractiveArgs(flags: PiFlags, options: AgentCommandOptions): readonly string[] {
  const { prompt } = options;
  // The CLI knows no `--`: behind a space, a prompt is neither an option nor a file to attach.
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

/** `$truecast` is the folder that `writeExtension` makes. */
const EXTENSION_ARGS = '--extension "$truecast/model-service.mjs"';

/**
 * An extension that points the model's service elsewhere. The CLI reads no base URL from its environment or its command line, and its
 * `models.json` is the user's own.
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

/** What the CLI wants to know of a model that it has never heard of; the limits are its own defaults. */
function ownProvider({ keyName, modelId }: ModelService): Readonly<Record<string, unknown>> {
  return {
    api: 'openai-completions',
    // The name of the variable that holds it. Where that is not set, the name itself is sent, and a local server takes anything.
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

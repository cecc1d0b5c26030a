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

/** `$truecast` is the folder created by `writeExtension`. In TypeScript, the CLI resolves its own package. */
const EXTENSION_ARGS = '--extension "$truecast/model-service.ts"';

/**
 * Pi extension that sets the base URL of the model's service. The CLI reads no base URL from its
 * environment or command line, and its `models.json` belongs to the user.
 */
function extensionOf(
  { service, hasBaseUrl }: PiFlags,
  { modelBaseUrl }: AgentCommandOptions,
): string | undefined {
  if (service === undefined || (modelBaseUrl === undefined && !hasBaseUrl)) return undefined;
  const baseURL = modelBaseUrl ?? service.baseURL;
  const provider = JSON.stringify(service.provider);
  if (service.isKnown) {
    return `export default (pi) => pi.registerProvider(${provider}, ${JSON.stringify({ baseUrl: baseURL })});`;
  }
  const config = JSON.stringify({ baseUrl: baseURL, ...ownProvider(service) });
  return `${keyReference(service)}export default async (pi) => pi.registerProvider(${provider}, { ...${config}, apiKey: await apiKey() });`;
}

/** Metadata that the CLI needs for an unknown model. The limits are the CLI's defaults. */
function ownProvider({ modelId }: ModelService): Readonly<Record<string, unknown>> {
  return {
    api: 'openai-completions',
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

/** Sent to a service without a key: the CLI requires one. */
const NO_KEY = 'no-key';

/**
 * Code of the function that returns the CLI's reference to the variable with the key. Before
 * version 0.77 the reference is the variable's name, which later versions send as the key itself.
 * Later versions also resolve the package's first name. If one does not, its version is new.
 */
function keyReference({ keyName }: ModelService): string {
  return [
    'const apiKey = async () => {',
    `if (!process.env.${keyName}) return ${JSON.stringify(NO_KEY)};`,
    "const version = await import('@mariozechner/pi-coding-agent').then((own) => String(own.VERSION), () => '');",
    `return /^0\\.(?:\\d|[1-6]\\d|7[0-6])\\./.test(version) ? ${JSON.stringify(keyName)} : ${JSON.stringify(`$${keyName}`)};`,
    '};',
    '',
  ].join(' ');
}

function writeExtension(code: string): string {
  return `truecast=$(mktemp -d) && trap 'rm -rf "$truecast"' EXIT && printf %s ${quoteArgument(code)} > "$truecast/model-service.ts"`;
}

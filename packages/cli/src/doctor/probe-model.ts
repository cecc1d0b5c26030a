/** Model probe: asks a server about schemas, JSON mode, tools, thinking, speed and context. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { failureOf, isServed, requestOf, type ProbedService, type ServiceReply } from './model-service.ts';

/** `ignored`: the server accepted the request, but the reply did not have the requested form. */
export type Ability = 'works' | 'ignored' | 'refused';

export interface ModelReport {
  /** The inference server, if it is a known one. */
  readonly server: string | undefined;
  readonly endpoint: string;
  readonly model: string;
  readonly schema: Ability;
  readonly jsonMode: Ability;
  readonly tools: Ability;
  /** Place of the model's reasoning: in its own field, between marks in the text, or absent. */
  readonly thinking: 'separate' | 'in-text' | 'none';
  readonly tokensPerSecond: number;
  /** Context size in tokens. Undefined if the server does not report it. */
  readonly contextTokens: number | undefined;
}

export interface ModelProbeOptions extends ProbedService {
  /** @default the server's first model */
  readonly model?: string | undefined;
  /** Current time in milliseconds. @default performance.now() */
  readonly now?: () => number;
}

/**
 * Tests a model with four requests.
 *
 * @throws UsageError if the server does not list the model, or lists none
 * @throws ModelError with the cause if the server does not answer as a model's service
 */
export async function probeModel(options: ModelProbeOptions): Promise<ModelReport> {
  const { now = () => performance.now() } = options;
  const list = await requestOf(options, '/models');
  const model = await chooseModel(options, list);
  const startedAt = now();
  const spoken = await ask(options, model, 'Describe the sea in two sentences.');
  const seconds = Math.max(now() - startedAt, 1) / 1_000;
  if (!isServed(spoken)) throw await failureOf(options, spoken);
  const words = messageOf(spoken);
  const asked = {
    schema: await ask(options, model, 'Describe the sea.', { response_format: SCHEMA_FORMAT }),
    json: await ask(options, model, 'Describe the sea. JSON mode is on.', { response_format: JSON_FORMAT }),
    tools: await ask(options, model, 'Report the sea.', { tools: [TOOL], tool_choice: 'required' }),
  };
  return {
    server: serverOf(list),
    endpoint: options.url,
    model,
    schema: abilityOf(asked.schema, ({ text }) => objectIn(text)?.[PROBE_KEY] === 'blue'),
    jsonMode: abilityOf(asked.json, ({ text }) => objectIn(text) !== undefined),
    tools: abilityOf(asked.tools, ({ calls }) => calls > 0),
    thinking: thinkingIn([spoken, asked.schema, asked.json, asked.tools]),
    tokensPerSecond: Number((tokensOf(spoken, words.text) / seconds).toFixed(1)),
    contextTokens: contextOf(entryOf(list, model)),
  };
}

/** The prompt does not name it: only a server that enforces the schema produces it. */
const PROBE_KEY = 'colour_by_day';
const PROBE_SCHEMA = {
  type: 'object',
  properties: { [PROBE_KEY]: { type: 'string', enum: ['blue'] } },
  required: [PROBE_KEY],
  additionalProperties: false,
};
const SCHEMA_FORMAT = {
  type: 'json_schema',
  json_schema: { name: 'probe', strict: true, schema: PROBE_SCHEMA },
};
const JSON_FORMAT = { type: 'json_object' };
const TOOL = {
  type: 'function',
  function: { name: 'report_sea', description: 'Reports the sea.', parameters: PROBE_SCHEMA },
};
/** Enough for a short answer after some reasoning. */
const MAX_TOKENS = 512;

function ask(
  service: ProbedService,
  model: string,
  content: string,
  extra: object = {},
): Promise<ServiceReply> {
  const messages = [{ role: 'user', content }];
  return requestOf(service, '/chat/completions', { model, messages, max_tokens: MAX_TOKENS, ...extra });
}

async function chooseModel({ model, ...service }: ModelProbeOptions, list: ServiceReply): Promise<string> {
  // Some services have no list.
  if (!isServed(list)) {
    if (model !== undefined && list.status === 404) return model;
    throw await failureOf(service, list);
  }
  const names = entriesOf(list).map(({ id }) => String(id));
  const [first] = names;
  if (first === undefined) {
    throw new UsageError('The server has no model. Load one, as with `ollama pull`, then try again.');
  }
  if (model === undefined || names.includes(model)) return model ?? first;
  const shown = names.slice(0, 10).join(', ');
  throw new UsageError(
    `The server does not list the model \`${model}\`. Set \`--model-name\` to one of: ${shown}.`,
  );
}

function entriesOf({ json }: ServiceReply): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(json['data']) ? json['data'].filter(isRecord) : [];
}

function entryOf(list: ServiceReply, model: string): Readonly<Record<string, unknown>> {
  return entriesOf(list).find(({ id }) => id === model) ?? {};
}

const OWNERS: Readonly<Record<string, string>> = {
  llamacpp: 'llama.cpp',
  vllm: 'vLLM',
  library: 'Ollama',
  organization_owner: 'LM Studio',
};

function serverOf(list: ServiceReply): string | undefined {
  const owners = entriesOf(list).map((entry) => OWNERS[String(entry['owned_by'])]);
  return (
    owners.find((name) => name !== undefined) ?? (list.software === 'llama.cpp' ? 'llama.cpp' : undefined)
  );
}

/** Names of the context size on llama.cpp, vLLM and gateways. */
function contextOf(entry: Readonly<Record<string, unknown>>): number | undefined {
  const meta = isRecord(entry['meta']) ? entry['meta'] : {};
  const sizes = [
    meta['n_ctx'],
    entry['max_model_len'],
    entry['context_length'],
    entry['context_window'],
    meta['n_ctx_train'],
  ];
  return sizes.find((size) => typeof size === 'number');
}

interface Message {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: number;
}

function messageOf({ json }: ServiceReply): Message {
  const [choice] = Array.isArray(json['choices']) ? json['choices'].filter(isRecord) : [];
  const message = isRecord(choice?.['message']) ? choice['message'] : {};
  const calls = message['tool_calls'];
  const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    text: stringOf(message['content']),
    reasoning: stringOf(message['reasoning_content'] ?? message['reasoning']),
    calls: Array.isArray(calls) ? calls.length : 0,
  };
}

function abilityOf(reply: ServiceReply, isObeyed: (message: Message) => boolean): Ability {
  if (!isServed(reply)) return 'refused';
  return isObeyed(messageOf(reply)) ? 'works' : 'ignored';
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const parsed = parseJson(text.replace(/^.*<\/think>/su, '').trim());
  return parsed.success && isRecord(parsed.value) ? parsed.value : undefined;
}

function thinkingIn(replies: readonly ServiceReply[]): ModelReport['thinking'] {
  const messages = replies.map(messageOf);
  if (messages.some(({ reasoning }) => reasoning !== '')) return 'separate';
  return messages.some(({ text }) => /<\/?think>|<\|channel\|>/u.test(text)) ? 'in-text' : 'none';
}

/** Approximate characters per token, if the server does not count tokens. */
const TOKEN_CHARS = 4;

function tokensOf({ json }: ServiceReply, text: string): number {
  const usage = isRecord(json['usage']) ? json['usage'] : {};
  const counted = usage['completion_tokens'];
  return typeof counted === 'number' && counted > 0 ? counted : text.length / TOKEN_CHARS;
}

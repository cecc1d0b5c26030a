/**
 * Profile of an inference engine: what it enforces of a request, found by some fifteen short
 * questions. Nothing here can end an engine.
 */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { boundedFetch } from '../call/model-fetch.ts';
import {
  engineQuestions,
  type EngineAbility,
  type EngineQuestion,
  type EngineReply,
} from './engine-questions.ts';
import { probeContext } from './probe-context.ts';

/**
 * `holds`: the reply can only come from an engine that enforces it. `ignores`: the engine accepted the
 * request, and the reply is another. `refuses`: it answered with an error.
 */
export type AbilityState = 'holds' | 'ignores' | 'refuses';

export interface EngineProfile {
  readonly endpoint: string;
  readonly model: string;
  readonly abilities: Readonly<Record<EngineAbility, AbilityState>>;
  /** True if a stopped request frees its place: the next question is answered. */
  readonly stopsRequests: boolean;
  /** Context window in tokens. Absent if the engine does not report it. */
  readonly contextTokens?: number;
}

export interface ProfiledEngine {
  /** Base URL, with `/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly signal?: AbortSignal;
  /** A word by chance, of lowercase letters. @default a new one */
  readonly word?: string;
}

/** A slow machine needs a minute for a few words. */
const QUESTION_MS = 120_000;
/** A place that is not freed writes this many tokens before it answers again. */
const LONG_TOKENS = 4_000;
const STOPPED_MS = 20_000;
const WORD_CHARS = 8;

/**
 * Asks the questions, one after another: an engine often has one place.
 *
 * Rejects if the engine cannot be reached, or ended while it was asked.
 */
export async function profileEngine(engine: ProfiledEngine): Promise<EngineProfile> {
  const { url, model, apiKey, word = chanceWord() } = engine;
  const [first, ...known] = engineQuestions(word, { hasSchemaFormat: true });
  const schema = first === undefined ? 'refuses' : await stateOf(first, engine);
  const rest = schema === 'holds' ? known : engineQuestions(word, { hasSchemaFormat: false }).slice(1);
  const states: [EngineAbility, AbilityState][] = [['schema', schema]];
  for (const question of rest) states.push([question.ability, await stateOf(question, engine)]);
  const contextTokens = await probeContext({ baseURL: url, apiKey, name: model });
  return {
    endpoint: url,
    model,
    // Each ability has one question.
    abilities: Object.fromEntries(states) as EngineProfile['abilities'],
    stopsRequests: await stopsRequests(engine),
    ...(contextTokens !== undefined && { contextTokens }),
  };
}

async function stateOf(question: EngineQuestion, engine: ProfiledEngine): Promise<AbilityState> {
  const response = await post(engine, question.body, AbortSignal.timeout(QUESTION_MS));
  const parsed = parseJson(await response.text());
  if (!response.ok || !parsed.success) return 'refuses';
  return question.isHeld(replyOf(parsed.value)) ? 'holds' : 'ignores';
}

/** Stops a long reply after its first piece, and asks a short question. */
async function stopsRequests(engine: ProfiledEngine): Promise<boolean> {
  const content = 'Count from 1 to 10000.';
  const stop = new AbortController();
  try {
    const long = { messages: [{ role: 'user', content }], max_tokens: LONG_TOKENS, stream: true };
    const response = await post(engine, long, stop.signal);
    await response.body?.getReader().read();
  } catch (error) {
    engine.signal?.throwIfAborted();
    if (!stop.signal.aborted) throw error;
  } finally {
    stop.abort();
  }
  const short = { messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 1 };
  try {
    return (await post(engine, short, AbortSignal.timeout(STOPPED_MS))).ok;
  } catch {
    engine.signal?.throwIfAborted();
    return false;
  }
}

function post(
  { url, model, apiKey, signal }: ProfiledEngine,
  body: object,
  limit: AbortSignal,
): Promise<Response> {
  return boundedFetch(`${url.replace(/\/+$/u, '')}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ model, ...body }),
    signal: AbortSignal.any([limit, ...(signal === undefined ? [] : [signal])]),
  });
}

function replyOf(value: unknown): EngineReply {
  const choices: unknown = isRecord(value) ? value['choices'] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message: unknown = isRecord(choice) ? choice['message'] : undefined;
  if (!isRecord(message)) return { text: '', calls: [] };
  const { content, tool_calls: calls } = message;
  return {
    text: typeof content === 'string' ? content : '',
    calls: Array.isArray(calls) ? calls.flatMap(callOf) : [],
  };
}

function callOf(call: unknown): EngineReply['calls'] {
  const called: unknown = isRecord(call) ? call['function'] : undefined;
  if (!isRecord(called) || typeof called['name'] !== 'string') return [];
  return [{ name: called['name'], arguments: String(called['arguments']) }];
}

function chanceWord(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(WORD_CHARS));
  return [...bytes].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
}

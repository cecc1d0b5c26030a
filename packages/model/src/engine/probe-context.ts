/**
 * Probe of a local model server: asks vLLM, LM Studio, llama.cpp and Ollama for the context size of
 * a served model.
 */
import { z } from 'zod';
import { createBoundedFetch } from '../call/bounded-fetch.ts';
import { parseJson } from '@truecast/core/internal/json/parse-json';

export interface ProbedServer {
  /** URL up to and including `/v1`. */
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
  /** Model id on that server. */
  readonly name: string;
}

/** Timeout of all requests of a probe together. */
const PROBE_MS = 3_000;
const MAX_BYTES = 1024 * 1024;
const probeFetch = createBoundedFetch({
  maxBytes: MAX_BYTES,
  maxEventBytes: MAX_BYTES,
  maxStreamBytes: MAX_BYTES,
  tooLarge: (maxBytes) => new RangeError(`A reply has more than ${maxBytes} bytes.`),
  redirected: ({ to }) => new RangeError(`The server redirects to ${to}.`),
});
/**
 * Context size with which Ollama loads a model that sets none (its documentation,
 * `OLLAMA_CONTEXT_LENGTH`).
 */
const OLLAMA_CONTEXT_TOKENS = 4_096;

const tokens = z.int().min(1);
const vllm = z.object({ data: z.array(z.object({ id: z.string(), max_model_len: tokens.nullish() })) });
const lmStudio = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      loaded_context_length: tokens.nullish(),
      max_context_length: tokens.nullish(),
    }),
  ),
});
const llamaCpp = z.object({ default_generation_settings: z.object({ n_ctx: tokens }) });
const ollamaLoaded = z.object({
  models: z.array(z.object({ name: z.string(), context_length: tokens.nullish() })),
});
const ollamaModel = z.object({
  parameters: z.string().nullish(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
});

/**
 * Returns the context in tokens. Undefined if no server answers within 3 seconds, or none reports
 * it. Never rejects.
 */
export async function probeContext(server: ProbedServer): Promise<number | undefined> {
  const origin = server.baseURL.replace(/\/v1\/?$/u, '');
  const signal = AbortSignal.timeout(PROBE_MS);
  const get = <T>(url: string, schema: z.ZodType<T>, body?: object): Promise<T | undefined> =>
    fetchJson({ url, schema, body, server, signal });
  const [listed, studio, props, loaded, shown] = await Promise.all([
    get(`${origin}/v1/models`, vllm),
    get(`${origin}/api/v0/models`, lmStudio),
    get(`${origin}/props`, llamaCpp),
    get(`${origin}/api/ps`, ollamaLoaded),
    get(`${origin}/api/show`, ollamaModel, { model: server.name }),
  ]);
  const isIt = ({ id }: { readonly id: string }): boolean => id === server.name;
  const inStudio = studio?.data.find(isIt);
  return (
    listed?.data.find(isIt)?.max_model_len ??
    inStudio?.loaded_context_length ??
    inStudio?.max_context_length ??
    props?.default_generation_settings.n_ctx ??
    loaded?.models.find(({ name }) => name === server.name)?.context_length ??
    contextOfOllama(shown)
  );
}

/** Ollama truncates a longer prompt without an error, so its default counts as the limit. */
function contextOfOllama(shown: z.output<typeof ollamaModel> | undefined): number | undefined {
  if (shown === undefined) return undefined;
  const [, set] = /^num_ctx\s+(\d+)/mu.exec(shown.parameters ?? '') ?? [];
  if (set !== undefined) return Number(set);
  const entries = Object.entries(shown.model_info ?? {});
  const trained = entries.find(([key]) => key.endsWith('.context_length'))?.[1];
  return typeof trained === 'number' ? Math.min(trained, OLLAMA_CONTEXT_TOKENS) : undefined;
}

interface JsonFetch<T> {
  readonly url: string;
  readonly schema: z.ZodType<T>;
  readonly body: object | undefined;
  readonly server: ProbedServer;
  readonly signal: AbortSignal;
}

async function fetchJson<T>({ url, schema, body, server, signal }: JsonFetch<T>): Promise<T | undefined> {
  try {
    const response = await probeFetch(url, {
      signal,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(server.apiKey !== undefined && { authorization: `Bearer ${server.apiKey}` }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const parsed = parseJson(await response.text());
    return response.ok && parsed.success ? schema.safeParse(parsed.value).data : undefined;
  } catch {
    // Most servers have only one of these routes. A server that is down is reported by the first
    // call.
    return undefined;
  }
}

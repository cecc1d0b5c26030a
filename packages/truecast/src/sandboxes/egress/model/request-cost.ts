/** Estimate of a model request's maximum usage, from its body, before it is sent. Pure. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { TextPlace } from '@truecast/core/internal/json/text/text-place';
import { unquote, walkJson } from '@truecast/core/internal/json/text/walk-json';
import { mediaTokens, thinkingTokens } from './media-cost.ts';
import type { RequestCost } from '../../../ports/egress-observer.ts';
import type { ApiEndpoint } from '../../../ports/model-endpoints.ts';

/**
 * Largest context window of a model. Used if a request is unreadable or refers to external input.
 */
const MAX_INPUT_TOKENS = 1_048_576;
/** More than any model generates in one answer. Used if a request sets no limit. */
const MAX_OUTPUT_TOKENS = 128_000;
/** Parsing a larger body would block the host. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

const COUNT_KEYS = ['n', 'candidateCount', 'candidate_count'] as const;
const CONFIG_KEYS = ['generationConfig', 'generation_config'] as const;
/** Keys of input that the service fetches or stores. */
const REFERENCES: ReadonlySet<string> = new Set([
  'file_id',
  'file_url',
  'file_uri',
  'fileUri',
  'image_url',
  'previous_response_id',
  'conversation',
  'cachedContent',
  'cached_content',
  'vector_store_ids',
  'mcp_servers',
  'server_url',
  'audio',
  'file_ids',
]);
/** Tools that the agent runs. The results of all other tools become input without a new request. */
const AGENT_TOOL = /^(?:function|custom|local_shell|apply_patch|(?:bash|text_editor|computer|memory)_\w+)$/;
/** Gemini names its tools by a member instead of a type. */
const SERVICE_MEMBER = /search|fetch|retrieval|code_?execution|mcp|url_?context|maps/i;
/** Members at this depth or above are compared without case, as some servers do. */
const MAX_FOLDED_DEPTH = 2;

/**
 * Estimates a request's maximum usage. Each token of text is at least one byte. Media are counted by
 * pixels, or as all that a model can read.
 */
export function estimateCost(body: Buffer, { outputKeys }: Pick<ApiEndpoint, 'outputKeys'>): RequestCost {
  const request = body.length > MAX_READ_BYTES ? undefined : readRequest(body.toString('utf8'));
  const unknown = Math.max(body.length, MAX_INPUT_TOKENS);
  if (request === undefined) return { inputTokens: unknown, outputTokens: MAX_OUTPUT_TOKENS };
  const parts = [request, ...CONFIG_KEYS.map((key) => request[key]).filter(isRecord)];
  const largest = (keys: readonly string[]): number | undefined => {
    const found = parts.flatMap((part) => keys.map((key) => part[key])).filter(isCount);
    return found.length === 0 ? undefined : Math.max(...found);
  };
  const answer = Math.max(largest(outputKeys) ?? MAX_OUTPUT_TOKENS, ...parts.map(thinkingTokens));
  // Tokens of a prediction that the model does not use are billed as output.
  const predicted = isRecord(request['prediction']) ? body.length : 0;
  const outputTokens = answer * Math.max(1, largest(COUNT_KEYS) ?? 1) + predicted;
  const media = usesServiceTool(request['tools']) ? undefined : mediaIn(request);
  return {
    inputTokens: media === undefined ? unknown : Math.min(unknown, body.length + media),
    outputTokens,
  };
}

/** Parsers disagree on which of two equal keys counts, so such a request is unreadable. */
function readRequest(text: string): Record<string, unknown> | undefined {
  const request = jsonValueOf(text);
  return isRecord(request) && !hasEqualKeys(text) ? request : undefined;
}

function hasEqualKeys(text: string): boolean {
  const place = new TextPlace();
  const equal = walkJson(text, {
    key(token, depth, object) {
      const key = depth > MAX_FOLDED_DEPTH ? unquote(token) : unquote(token).toLowerCase().toUpperCase();
      return place.key(key, depth, object) ? 'equal' : undefined;
    },
  });
  return equal !== undefined;
}

/** Returns the tokens of media. Undefined if a part of the input is not in the request, or not countable. */
function mediaIn(request: Record<string, unknown>): number | undefined {
  // A stored prompt of Responses. Elsewhere, `prompt` is usually an argument of a tool.
  if (isRecord(request['prompt'])) return undefined;
  // Files and earlier work in a container of the service.
  if (request['container'] !== undefined && request['container'] !== null) return undefined;
  const open: unknown[] = [request];
  let tokens = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const own = isRecord(value) ? mediaTokens(value) : 0;
    if (own === undefined) return undefined;
    tokens += own;
    for (const [key, child] of Object.entries(value)) {
      if (REFERENCES.has(key) && isReference(child)) return undefined;
      if (key === 'type' && child === 'item_reference') return undefined;
      if (key === 'url' && 'type' in value && value.type === 'url') return undefined;
      if (typeof child === 'object') open.push(child);
    }
  }
  return tokens;
}

/** Inline data is counted by its content. */
function isReference(value: unknown): boolean {
  if (typeof value === 'string') return value !== '' && !value.startsWith('data:');
  if (!isRecord(value)) return Array.isArray(value) && value.length > 0;
  return typeof value['url'] === 'string' ? isReference(value['url']) : typeof value['id'] === 'string';
}

function usesServiceTool(tools: unknown): boolean {
  if (!Array.isArray(tools)) return false;
  return tools.some((tool: unknown) => {
    if (!isRecord(tool)) return false;
    const { type } = tool;
    if (typeof type === 'string') return !AGENT_TOOL.test(type);
    return Object.keys(tool).some((key) => SERVICE_MEMBER.test(key));
  });
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

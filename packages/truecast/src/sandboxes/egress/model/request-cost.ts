/** Estimate of a model request's maximum usage, from its body, before it is sent. Pure. */
import { parseJsonLine } from '../../../agents/stream/json-line-parser.ts';
import { isRecord } from '@truecast/core/internal/errors/base/is-record';
import { unquote, walkJson } from '@truecast/core/internal/schema/json-text/walk-json';
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
]);
/** Tools that the agent runs. The results of all other tools become input without a new request. */
const AGENT_TOOL = /^(?:function|custom|local_shell|apply_patch|(?:bash|text_editor|computer|memory)_\w+)$/;
/** Gemini names its tools by a member instead of a type. */
const SERVICE_MEMBER = /search|fetch|retrieval|code_?execution|mcp|url_?context|maps/i;
/** Members at this depth or above are compared without case, as some servers do. */
const MAX_FOLDED_DEPTH = 2;

/** Estimates a request's maximum usage. Each token is at least one byte. */
export function estimateCost(body: Buffer, { outputKeys }: Pick<ApiEndpoint, 'outputKeys'>): RequestCost {
  const request = body.length > MAX_READ_BYTES ? undefined : readRequest(body.toString('utf8'));
  const unknown = Math.max(body.length, MAX_INPUT_TOKENS);
  if (request === undefined) return { inputTokens: unknown, outputTokens: MAX_OUTPUT_TOKENS };
  const parts = [request, ...CONFIG_KEYS.map((key) => request[key]).filter(isRecord)];
  const largest = (keys: readonly string[]): number | undefined => {
    const found = parts.flatMap((part) => keys.map((key) => part[key])).filter(isCount);
    return found.length === 0 ? undefined : Math.max(...found);
  };
  const outputTokens = (largest(outputKeys) ?? MAX_OUTPUT_TOKENS) * Math.max(1, largest(COUNT_KEYS) ?? 1);
  const isWhole = !usesServiceTool(request['tools']) && !refersToInput(request);
  return { inputTokens: isWhole ? body.length : unknown, outputTokens };
}

/** Parsers disagree on which of two equal keys counts, so such a request is unreadable. */
function readRequest(text: string): Record<string, unknown> | undefined {
  const request = parseJsonLine(text);
  return isRecord(request) && !hasEqualKeys(text) ? request : undefined;
}

function hasEqualKeys(text: string): boolean {
  const keysOf = new WeakMap<object, Set<string>>();
  let isFound = false;
  walkJson(text, {
    key(token, depth, object) {
      const key = depth > MAX_FOLDED_DEPTH ? unquote(token) : unquote(token).toLowerCase().toUpperCase();
      const keys = keysOf.get(object) ?? new Set();
      keysOf.set(object, keys);
      isFound = keys.has(key);
      keys.add(key);
      return isFound ? 'enough' : undefined;
    },
    value: () => undefined,
    string: () => undefined,
    ended: () => undefined,
  });
  return isFound;
}

function refersToInput(request: Record<string, unknown>): boolean {
  // A stored prompt of Responses. Elsewhere, `prompt` is usually an argument of a tool.
  if (isRecord(request['prompt'])) return true;
  const open: unknown[] = [request];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (REFERENCES.has(key) && isReference(child)) return true;
      if (key === 'type' && child === 'item_reference') return true;
      if (key === 'url' && 'type' in value && value.type === 'url') return true;
      if (typeof child === 'object') open.push(child);
    }
  }
  return false;
}

/** Inline data is already counted by its bytes. */
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

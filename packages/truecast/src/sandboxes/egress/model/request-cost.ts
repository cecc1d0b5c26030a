/** Estimate of a model request's maximum usage, from its body, before it is sent. Pure. */
import { parseJsonLine } from '../../../agents/stream/json-line-parser.ts';
import { isRecord } from '@truecast/core/internal/errors/base/is-record';
import type { RequestCost } from '../../../ports/egress-observer.ts';

/**
 * Largest context window of a model. Used if a request is unreadable or refers to external input.
 */
const MAX_INPUT_TOKENS = 1_048_576;
/** More than any model generates in one answer. Used if a request sets no limit. */
const MAX_OUTPUT_TOKENS = 128_000;
/** Parsing a larger body would block the host. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

const OUTPUT_KEYS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'] as const;
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
/** Server-side tools, whose results become input. */
const SERVICE_TOOL = /search|fetch|retrieval|code_(?:execution|interpreter)|^mcp|url_?context/i;

/** Estimates a request's maximum usage. Each token is at least one byte. */
export function estimateCost(body: Buffer): RequestCost {
  const request = body.length > MAX_READ_BYTES ? undefined : parseJsonLine(body.toString('utf8'));
  const unknown = Math.max(body.length, MAX_INPUT_TOKENS);
  if (!isRecord(request)) return { inputTokens: unknown, outputTokens: MAX_OUTPUT_TOKENS };
  const parts = [request, ...CONFIG_KEYS.map((key) => request[key]).filter(isRecord)];
  const largest = (keys: readonly string[]): number | undefined => {
    const found = parts.flatMap((part) => keys.map((key) => part[key])).filter(isCount);
    return found.length === 0 ? undefined : Math.max(...found);
  };
  const outputTokens = (largest(OUTPUT_KEYS) ?? MAX_OUTPUT_TOKENS) * Math.max(1, largest(COUNT_KEYS) ?? 1);
  const isWhole = !usesServiceTool(request['tools']) && !refersToInput(request);
  return { inputTokens: isWhole ? body.length : unknown, outputTokens };
}

function refersToInput(request: unknown): boolean {
  const open: unknown[] = [request];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (REFERENCES.has(key) && isReference(child)) return true;
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
    if (typeof type === 'string') return type !== 'function' && type !== 'custom' && SERVICE_TOOL.test(type);
    return Object.keys(tool).some((key) => key !== 'name' && SERVICE_TOOL.test(key));
  });
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

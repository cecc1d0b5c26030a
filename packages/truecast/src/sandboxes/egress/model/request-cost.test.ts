import { describe, expect, it } from 'vitest';
import type { RequestCost } from '../../../ports/egress-observer.ts';
import { findModelEndpoint } from '../../../ports/model-endpoints.ts';
import { estimateCost } from './request-cost.ts';

const outputKeysOf = (target: string): readonly string[] =>
  findModelEndpoint({ method: 'POST', target })?.outputKeys ?? [];
const ANY: { readonly outputKeys: readonly string[] } = {
  outputKeys: ['/v1/messages', '/v1/responses', '/v1/chat/completions', '/models/m:generateContent'].flatMap(
    outputKeysOf,
  ),
};
const cost = (request: unknown, endpoint = ANY): RequestCost =>
  estimateCost(Buffer.from(JSON.stringify(request)), endpoint);
const MESSAGES = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };

describe('the most that a request can use', () => {
  it.each([
    ['Messages', { ...MESSAGES, max_tokens: 100 }, 100],
    ['Chat Completions', { ...MESSAGES, max_completion_tokens: 100, n: 3 }, 300],
    ['Responses', { input: 'Hello', max_output_tokens: 70 }, 70],
    ['Gemini', { contents: [], generationConfig: { maxOutputTokens: 50, candidateCount: 2 } }, 100],
    ['the larger of two bounds', { ...MESSAGES, max_tokens: 1, max_completion_tokens: 900 }, 900],
    ['no bound', MESSAGES, 128_000],
  ])('is read from %s', (_title, request, outputTokens) => {
    const { length } = Buffer.from(JSON.stringify(request));
    expect(cost(request)).toEqual({ inputTokens: length, outputTokens });
  });

  it.each([
    ['a file that the service holds', { input: [{ content: [{ type: 'input_file', file_id: 'file-1' }] }] }],
    ['an earlier answer', { input: 'Go on', previous_response_id: 'resp_1' }],
    [
      'a picture at an address',
      { messages: [{ content: [{ image_url: { url: 'https://x.example/p.png' } }] }] },
    ],
    [
      'a source at an address',
      { messages: [{ content: [{ source: { type: 'url', url: 'https://x.example' } }] }] },
    ],
    [
      'a search by the service',
      { ...MESSAGES, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    ],
    ['a tool of Gemini', { contents: [], tools: [{ googleSearch: {} }] }],
    ['maps of Gemini', { contents: [], tools: [{ googleMaps: {} }] }],
    ['a tool of an unknown type', { input: 'Go', tools: [{ type: 'image_generation' }] }],
    ['a stored item', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }],
    ['a cache', { contents: [], cachedContent: 'cachedContents/1' }],
    ['a tool server', { ...MESSAGES, mcp_servers: [{ type: 'url', url: 'https://x.example' }] }],
  ])('is all that a model can read, with %s', (_title, request) => {
    expect(cost({ max_tokens: 10, ...request })).toEqual({ inputTokens: 2 ** 20, outputTokens: 10 });
  });

  it('is its bytes with data in the request, tools of the agent, and words that look like a reference', () => {
    const request = {
      max_tokens: 10,
      tools: [
        { type: 'function', name: 'web_search', parameters: { url: { type: 'string' } } },
        { name: 'fetch' },
        { type: 'bash_20250124', name: 'bash' },
      ],
      messages: [
        { content: [{ image_url: { url: 'data:image/png;base64,AAAA' } }] },
        { content: '{"file_id":"file-1"}' },
      ],
    };
    expect(cost(request).inputTokens).toBe(JSON.stringify(request).length);
  });

  it('is all that a model can read where the request cannot be read, or is too large to be', () => {
    expect(estimateCost(Buffer.from('{'), ANY)).toEqual({ inputTokens: 2 ** 20, outputTokens: 128_000 });
    expect(cost({ max_tokens: 1, text: 'x'.repeat(5 * 1024 * 1024) }).inputTokens).toBeGreaterThan(
      5 * 2 ** 20,
    );
  });

  it.each([
    ['/v1/messages', { max_output_tokens: 1, max_completion_tokens: 1, maxOutputTokens: 1 }],
    ['/v1/chat/completions', { max_output_tokens: 1 }],
    ['/v1/responses', { max_tokens: 1 }],
    ['/v1/responses/compact', { max_tokens: 1, max_output_tokens: 1 }],
    ['/v1beta/models/m:generateContent', { generationConfig: { max_tokens: 1 } }],
    ['/v1/messages', { max_tokens: 0.5 }],
  ])('is not limited at %s by %j, which its service ignores', (target, limits) => {
    expect(cost(limits, { outputKeys: outputKeysOf(target) }).outputTokens).toBe(128_000);
  });

  it.each([
    ['{"max_tokens":128000,"max_tokens":1}'],
    ['{"max_tokens":128000,"max\\u005ftokens":1}'],
    ['{"max_tokens":1,"MAX_TOKENS":128000}'],
    ['{"max_tokens":1,"max_to\u212aens":128000}'],
    ['{"generationConfig":{"maxOutputTokens":9,"maxOutputTokens":1}}'],
    ['{"max_tokens":1,"input":[{"type":"item_reference","type":"message"}]}'],
  ])('is the most of any request where two parsers would read %s differently', (text) => {
    expect(estimateCost(Buffer.from(text), ANY)).toEqual({ inputTokens: 2 ** 20, outputTokens: 128_000 });
  });
});

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

/** Its bytes do not show the number of its pages. */
const PDF = Buffer.from('%PDF-1.7').toString('base64');

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
    ['a container', { ...MESSAGES, container: { skills: [] } }],
    ['an earlier sound', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }],
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
        { content: [{ image_url: { url: 'data:text/plain;base64,AAAA' } }] },
        { content: [{ source: { type: 'text', media_type: 'text/plain', data: 'AAAA' } }] },
        { content: 'data:application/pdf;base64,AAAA' },
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

  it.each([
    ['a document of Anthropic', { source: { type: 'base64', media_type: 'application/pdf', data: PDF } }],
    [
      'a document in the result of a tool',
      { content: [{ source: { media_type: 'application/pdf', data: PDF } }] },
    ],
    ['a file of Responses', { type: 'input_file', file_data: `data:application/pdf;base64,${PDF}` }],
    ['a file without a type', { type: 'file', file: { filename: 'a', file_data: PDF } }],
    ['a document of Gemini', { inlineData: { mimeType: 'application/pdf', data: PDF } }],
    ['a video of Gemini', { inline_data: { mime_type: 'video/mp4', data: 'AAAA' } }],
    ['sound of Chat Completions', { input_audio: { data: 'AAAA', format: 'wav' } }],
    ['a picture that is none', { source: { media_type: 'image/png', data: PDF } }],
    ['a drawing', { source: { media_type: 'image/svg+xml', data: 'AAAA' } }],
  ])('is all that a model can read, with %s', (_title, part) => {
    const request = { max_tokens: 10, messages: [{ role: 'user', content: [part] }] };
    expect(cost(request)).toEqual({ inputTokens: 2 ** 20, outputTokens: 10 });
  });

  it.each([
    ['PNG', Buffer.from('89504e470d0a1a0a0000000d49484452000023280000232808', 'hex'), 9_000 * 9_000],
    ['GIF', Buffer.from('474946383961282328230000', 'hex'), 9_000 * 9_000],
    ['JPEG', Buffer.from('ffd8ffe000040000ffc00011082328232803000000000000000000', 'hex'), 9_000 * 9_000],
    [
      'WebP',
      Buffer.concat([
        Buffer.from('RIFF....WEBPVP8X............'.slice(0, 24)),
        Buffer.from('272300272300', 'hex'),
        Buffer.alloc(8),
      ]),
      9_000 * 9_000,
    ],
  ])('counts the pixels of a large %s, in each form', (_title, head, pixels) => {
    const data = head.toString('base64');
    for (const part of [
      { source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'input_image', image_url: `data:image/png;base64,${data}` },
      { image_url: { url: `data:image/png;base64,${data}` } },
      { inlineData: { mimeType: 'image/webp', data } },
    ]) {
      const request = { max_tokens: 10, messages: [{ content: [part] }] };
      const { length } = JSON.stringify(request);
      expect(cost(request).inputTokens).toBe(length + Math.ceil(pixels / 750));
      const twice = { max_tokens: 10, messages: [{ content: [part, part] }] };
      expect(cost(twice).inputTokens).toBe(JSON.stringify(twice).length + 2 * Math.ceil(pixels / 750));
    }
  });

  it('counts a small picture as the most that a service counts for one, and never more than a model reads', () => {
    const small = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108', 'hex').toString('base64');
    const part = { source: { type: 'base64', media_type: 'image/png', data: small } };
    const request = { max_tokens: 10, messages: [{ content: [part] }] };
    expect(cost(request).inputTokens).toBe(JSON.stringify(request).length + 50_000);
    const many = { max_tokens: 10, messages: [{ content: Array.from({ length: 50 }, () => part) }] };
    expect(cost(many).inputTokens).toBe(2 ** 20);
  });

  it.each([
    [
      'Messages',
      { ...MESSAGES, max_tokens: 10, thinking: { type: 'enabled', budget_tokens: 60_000 } },
      60_000,
    ],
    ['a budget below the limit', { ...MESSAGES, max_tokens: 100, thinking: { budget_tokens: 50 } }, 100],
    [
      'Gemini',
      { generationConfig: { maxOutputTokens: 10, thinkingConfig: { thinkingBudget: 24_576 } } },
      24_576,
    ],
    ['several answers', { ...MESSAGES, max_tokens: 10, n: 2, thinking: { budget_tokens: 60_000 } }, 120_000],
  ])('counts the budget of thinking in %s', (_title, request, outputTokens) => {
    expect(cost(request).outputTokens).toBe(outputTokens);
  });

  it('counts a prediction as output, because its unused tokens are billed so', () => {
    const request = {
      ...MESSAGES,
      max_tokens: 10,
      prediction: { type: 'content', content: 'x'.repeat(500) },
    };
    expect(cost(request).outputTokens).toBe(10 + JSON.stringify(request).length);
  });
});

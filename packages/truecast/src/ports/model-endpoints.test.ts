import { describe, expect, it } from 'vitest';
import { findModelEndpoint } from './model-endpoints.ts';

const isBilled = (request: string, wires?: Parameters<typeof findModelEndpoint>[1]): boolean | undefined => {
  const [method = '', target = ''] = request.split(' ');
  return findModelEndpoint({ method, target }, wires)?.isBilled;
};

describe("a model's API", () => {
  it.each([
    'POST /v1/messages?beta=true',
    'POST /messages',
    'POST /v1/responses',
    'POST /responses',
    'POST /responses/compact',
    'POST /v1/chat/completions',
    'POST /openai/deployments/my-gpt/chat/completions?api-version=2024-10-21',
    'POST /openai/v1/responses',
    'POST /v1beta/models/gemini-2.5-pro:generateContent',
    'POST /v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
  ])('has %s, which is billed', (request) => {
    expect(isBilled(request)).toBe(true);
  });

  it.each([
    'POST /v1/messages/count_tokens?beta=true',
    'POST /v1beta/models/gemini-2.5-pro:countTokens',
    'GET /v1/models',
    'GET /models?client_version=0.169.0',
    'GET /v1/models/claude-opus-4-8',
    'GET /models/openai/gpt-5',
    'HEAD /api/hello',
    'HEAD /',
  ])('has %s, which is free', (request) => {
    expect(isBilled(request)).toBe(false);
  });

  it.each([
    'POST /v1/files',
    'GET /v1/files/file-1/content',
    'POST /v1/messages/batches',
    'GET /v1/messages/batches',
    'GET /v1/organizations/api_keys',
    'POST /v1/organizations/invites',
    'POST /v1/batches',
    'POST /v1/uploads',
    'POST /v1/fine_tuning/jobs',
    'GET /v1/responses/resp_1',
    'DELETE /v1/models/ft:gpt',
    'POST /v1/images/generations',
    'POST /v1beta/cachedContents',
    'POST /upload/v1beta/files',
    'POST /v1beta/models/gemini:batchGenerateContent',
    'POST /v1beta/models/a%2Fb:generateContent',
    'GET /api/oauth/claude_cli/roles',
    'POST /api/oauth/claude_cli/create_api_key',
    'GET /v1/messages',
    'POST /v1/models',
    'OPTIONS /v1/messages',
    'POST /v1/messages/',
    'POST //v1/messages',
    'POST /x/v1/messages',
    'POST /v1/%6dessages',
    'POST /v1/messages;x',
    'POST /v1/messages%3f',
  ])('has no %s', (request) => {
    expect(isBilled(request)).toBeUndefined();
  });

  it('is that of the agent alone', () => {
    expect(isBilled('POST /v1/chat/completions', ['anthropic'])).toBeUndefined();
    expect(isBilled('POST /v1/messages', ['openai', 'gemini'])).toBeUndefined();
    expect(isBilled('POST /v1/messages', ['anthropic'])).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import type { ModelAccess } from '../../../ports/model-access.ts';
import { upstreamRequest } from './proxy-request.ts';

const ACCESS: ModelAccess = {
  upstreamUrl: 'https://model.example/base/',
  headers: { Authorization: 'Bearer real' },
  environment: () => ({}),
  secretNames: [],
};

function forward(target: string, rawHeaders: readonly string[] = []): ReturnType<typeof upstreamRequest> {
  return upstreamRequest({ method: 'GET', target, rawHeaders }, ACCESS);
}

describe('upstreamRequest', () => {
  it('joins the path to the base URL', () => {
    expect(forward('/v1/models?a=b%20c')).toMatchObject({
      url: new URL('https://model.example/base/v1/models?a=b%20c'),
    });
  });

  it('removes keys that the guest put into the query', () => {
    expect(forward('/v1/models?key=guest&a=b')).toMatchObject({
      url: new URL('https://model.example/base/v1/models?a=b'),
    });
  });

  it('removes what concerns one connection, what it lists, and credentials', () => {
    const raw = [
      'Connection',
      'X-Hop, close',
      'X-Hop',
      '1',
      'Host',
      'h',
      'AUTHORIZATION',
      'guest',
      'Cookie',
      'c',
      'X-Kept',
      '1',
      'x-kept',
      '2',
    ];
    expect(forward('/', raw)).toMatchObject({
      headers: { authorization: ['Bearer real'], 'x-kept': ['1', '2'] },
    });
  });

  it.each([
    'X-HTTP-Method-Override',
    'x-http-method',
    'X-Method-Override',
    'X-Original-URL',
    'X-Rewrite-URL',
  ])('removes %s, which would change the checked method or path', (name) => {
    expect(forward('/', [name, '/v1/files'])).toMatchObject({
      headers: expect.not.objectContaining({ [name.toLowerCase()]: expect.anything() }),
    });
  });

  it('removes ranges, whose answers could contain a part of the key', () => {
    const request = forward('/', ['Range', 'bytes=5-', 'If-Range', '"a"', 'Accept', 'x/y']);
    expect(request).toMatchObject({ type: 'forward' });
    expect(Object.keys(request.type === 'forward' ? request.headers : {})).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
    ]);
  });
});

import { expect, it } from 'vitest';
import { parseBoundedJson } from './bounded-json.ts';
import { parseJson } from './parse-json.ts';

it.each(['', '{', '{"a":1,}', '<html>\n<body>', '"\u{0}'])('reports the syntax error of %j', (text) => {
  const parsed = parseBoundedJson(text);
  expect(parsed).toMatchObject({ success: false, code: 'syntax', cause: expect.any(SyntaxError) as unknown });
  expect(!parsed.success && parsed.reason).toMatch(/^.*JSON.*$/u);
});

it.each(['{"constructor":null}', '{"constructor":"x"}', '{"constructor":{"a":{"prototype":1}}}'])(
  'accepts a key `constructor` that leads to no prototype: %s',
  (text) => {
    expect(parseBoundedJson(text)).toEqual({ success: true, value: JSON.parse(text) });
  },
);

it('differs from the parser of answers only in the reason of a syntax error', () => {
  const texts = [
    '{"a":[1,null]}',
    '7',
    '{"__proto__":1}',
    String.raw`{"\u005f_proto__":1}`,
    '{"constructor":{"prototype":1}}',
    '{"a":',
    '['.repeat(300_000),
  ];
  for (const text of texts) {
    const { reason: _bounded, ...bounded } = { reason: '', ...parseBoundedJson(text) };
    const { reason: _exact, ...exact } = { reason: '', ...parseJson(text) };
    expect(bounded).toEqual(exact);
  }
  expect(parseJson('{"a":')).toMatchObject({
    reason: expect.stringContaining('line 1, column 6') as unknown,
  });
  expect(parseBoundedJson('{"__proto__":1}')).toMatchObject({ success: false, code: 'prototype-key' });
});

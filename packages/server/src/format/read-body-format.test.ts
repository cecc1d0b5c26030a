import { describe, expect, it } from 'vitest';
import { readBodyFormat } from './read-body-format.ts';

const FORMAT = '{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}}';

function limitsOf(limits: string): unknown {
  const read = readBodyFormat(`{"response_format":${FORMAT},"limits":${limits}}`);
  return read.type === 'json_schema'
    ? read.limits
    : read.type === 'refused'
      ? read.problems.map((p) => p.field)
      : [];
}

it('is an ordinary turn without a format', () => {
  expect(readBodyFormat('{"content":[]}')).toEqual({ type: 'text' });
});

it('reads only the format of the body itself', () => {
  expect(readBodyFormat(`{"content":{"response_format":${FORMAT}}}`)).toEqual({ type: 'text' });
});

it('refuses a repeated format', () => {
  const text = `{"response_format":{"type":"text"},"response_format":${FORMAT}}`;
  expect(readBodyFormat(text)).toMatchObject({ type: 'refused', problems: [{ field: 'response_format' }] });
});

describe('limits', () => {
  it.each([
    ['{}', { text_only: 5, max_repairs: 5 }],
    ['{"text_only":1}', { text_only: 1, max_repairs: 5 }],
    ['{"max_repairs":3,"text_only":5}', { text_only: 5, max_repairs: 3 }],
  ])('can be lowered: %s', (limits, expected) => {
    expect(limitsOf(limits)).toEqual(expected);
  });

  it.each([
    ['{"text_only":6}', ['limits.text_only']],
    ['{"text_only":0,"max_repairs":"2"}', ['limits.text_only', 'limits.max_repairs']],
    ['{"max_repairs":1.5}', ['limits.max_repairs']],
    ['{"steps":1}', ['limits.steps']],
    ['[]', ['limits']],
    ['null', ['limits']],
  ])('are refused: %s', (limits, expected) => {
    expect(limitsOf(limits)).toEqual(expected);
  });

  it('are refused without a format', () => {
    expect(readBodyFormat('{"limits":{}}')).toMatchObject({
      type: 'refused',
      problems: [{ field: 'limits' }],
    });
  });
});

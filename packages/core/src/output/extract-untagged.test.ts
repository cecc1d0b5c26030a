/** Tests of extraction by a definition without a tag. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { extractOutput, safeExtractOutput } from './extract-output.ts';
import { Output } from './output.ts';

const answer = Output.object({ schema: z.object({ answer: z.number() }) });
const list = Output.array({ element: z.number() });

async function codeOf(
  said: string,
  definition: Parameters<typeof safeExtractOutput>[1] = answer,
): Promise<string> {
  const result = await safeExtractOutput(said, definition);
  return result.success ? `ok ${JSON.stringify(result.output)}` : result.error.code;
}

describe('an answer without a tag', () => {
  it.each([
    ['the whole text', ' {"answer":42}\n'],
    ['a fence', '```json\n{"answer":42}\n```'],
    ['what follows the reasoning', '<think>{"answer":1}?</think>{"answer":42}'],
  ])('is %s', async (_, said) => {
    const result = await safeExtractOutput(said, answer);
    expect(result).toMatchObject({ success: true, output: { answer: 42 }, provenance: { mode: 'json' } });
  });

  it.each([
    ['in prose', 'The answer is {"answer":42}. Bye!'],
    ['in a fence after prose', 'Sure:\n```json\n{"answer":42}\n```\nBye.'],
  ])('is the one JSON value %s, which a label reports', async (_, said) => {
    const result = await safeExtractOutput(said, answer);
    expect(result).toMatchObject({
      output: { answer: 42 },
      provenance: { raw: '{"answer":42}', repairs: [{ kind: 'found-in-text', path: [] }] },
    });
  });

  it('can be an array, one of the options, or any JSON', async () => {
    expect(await extractOutput('Lines: [1, 2].', list)).toEqual([1, 2]);
    expect(await extractOutput('merge\n', Output.choice({ options: ['merge', 'reject'] }))).toBe('merge');
    expect(await extractOutput('7', Output.json({}))).toBe(7);
  });

  it('is neither of two values', async () => {
    expect(await codeOf('{"answer":1} or {"answer":2}')).toBe('invalid-json');
    expect(await codeOf('```json\n{"answer":1}\n```\n```json\n{"answer":2}\n```')).toBe('invalid-json');
  });

  it('is not taken out of an array', async () => {
    expect(await codeOf('Here: [{"answer":1}]')).toBe('schema-mismatch');
  });

  it.each([
    ['', 'not-produced'],
    ['No idea.', 'not-produced'],
    ['] [', 'not-produced'],
    ['I use {braces}.', 'invalid-json'],
    ['It is {"answer":"42"}.', 'schema-mismatch'],
    ['It is {"answer":42,"answer":43}.', 'schema-mismatch'],
  ])('is refused in %j as %s', async (said, code) => {
    expect(await codeOf(said)).toBe(code);
  });

  it('is refused if it is larger than its limit, however long the text is', async () => {
    const small = Output.object({ schema: z.object({ answer: z.number() }), maxPayloadBytes: 20 });
    expect(await codeOf(`${'prose '.repeat(100)}{"answer":42}`, small)).toBe('ok {"answer":42}');
    expect(await codeOf(`{"answer":42,"note":"${'x'.repeat(100)}"}`, small)).toBe('too-large');
  });

  it('asks for JSON or a tag if the text has no JSON', async () => {
    await expect(extractOutput('No idea.', answer)).rejects.toThrow(
      'Expected an answer, got text without JSON. Ask for JSON, or set `tag` and show it in the prompt.',
    );
  });

  it('is one of the options only if it is the whole text', async () => {
    const choice = Output.choice({ options: ['["a"]', 'b'] });
    expect(await codeOf('["a"]', choice)).toContain('ok');
    expect(await codeOf('It is ["a"].', choice)).toBe('schema-mismatch');
  });

  it('is asked for by a definition alone', async () => {
    await expect(extractOutput('{}', {} as never)).rejects.toMatchObject({
      code: 'invalid-definition',
      message: expect.stringContaining('Expected `definition` to be created'),
    });
  });

  it('is searched in a string alone', async () => {
    const text = 42 as unknown as string;
    await expect(extractOutput(text, answer)).rejects.toMatchObject({ name: 'UsageError' });
  });
});

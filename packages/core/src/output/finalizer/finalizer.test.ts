import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../output.ts';
import { StructuredOutputError } from '../../errors/structured-output-error.ts';
import { createFinalizer, type Finalizer, type FinalizerOptions } from './finalizer.ts';

const definition = Output.object({ schema: z.object({ answer: z.number() }) });

function make(options: Partial<FinalizerOptions> = {}): Finalizer {
  return createFinalizer(definition, options);
}

it('accepts one answer, and refuses every call after it', async () => {
  const finalizer = make();

  expect((await finalizer.submit('{"output":{"answer":42}}')).type).toBe('accepted');
  expect(await finalizer.submit('{"output":{"answer":43}}')).toMatchObject({
    type: 'refused',
    text: expect.stringContaining('accepted before'),
  });
  expect(await finalizer.settle()).toMatchObject({
    success: true,
    output: { answer: 42 },
    provenance: { mode: 'mcp', raw: '{"answer":42}', attempts: [{ code: 'ok' }], repairs: [] },
  });
});

it('checks concurrent calls one after the other', async () => {
  const finalizer = make({
    async check(answer) {
      await new Promise((resolve) => setImmediate(resolve));
      return answer;
    },
  });

  const replies = await Promise.all(
    [1, 2, 3].map((answer) => finalizer.submit(JSON.stringify({ output: { answer } }))),
  );
  expect(replies.map(({ type }) => type)).toEqual(['accepted', 'refused', 'refused']);
  expect(await finalizer.settle()).toMatchObject({ output: { answer: 1 } });
});

it('reports the errors and the tool to call, without values, and accepts the corrected answer', async () => {
  const finalizer = make();

  const { type, text } = await finalizer.submit('{"output":{"answer":"secret"}}');
  expect(type).toBe('rejected');
  expect(text).toContain('- answer:');
  expect(text).toContain('Call the tool `submit_structured_output` again, alone, with {"output":');
  expect(text).not.toContain('secret');
  expect((await finalizer.submit('{"output":{"answer":1}}')).type).toBe('accepted');
  expect(await finalizer.settle()).toMatchObject({
    provenance: {
      attempts: [{ code: 'schema-mismatch', rawMatched: '{"answer":"secret"}' }, { code: 'ok' }],
    },
  });
});

it('accepts no further answer after the maximum number of rejections', async () => {
  const finalizer = make({ maxRejections: 2 });

  const first = await finalizer.submit('{"output":1}');
  const second = await finalizer.submit('{"output":2}');
  const third = await finalizer.submit('{"output":{"answer":1}}');
  expect([first.type, second.type, third.type]).toEqual(['rejected', 'rejected', 'refused']);
  expect(first.text).toContain('Tries left after this one: 0.');
  expect(second.text).toContain('No further answer is taken');
  expect(second.text).not.toContain('again');
  const settled = await finalizer.settle();
  expect(settled?.success).toBe(false);
  expect(finalizer.rejections).toHaveLength(2);
});

it('takes no further answer when the schema itself throws', async () => {
  const broken = z.object({ answer: z.number() }).refine(() => {
    throw new RangeError('broken');
  });
  const finalizer = createFinalizer(Output.object({ schema: broken }));

  expect((await finalizer.submit('{"output":{"answer":1}}')).type).toBe('rejected');
  expect((await finalizer.submit('{"output":{"answer":1}}')).type).toBe('refused');
  expect(await finalizer.settle()).toMatchObject({ error: { code: 'validator-error' } });
});

it('rejects what its check rejects', async () => {
  const error = new StructuredOutputError('No such id.', {
    code: 'schema-mismatch',
    issues: [{ path: ['answer'], message: 'There is no such id' }],
  });
  const finalizer = make({
    check: (answer) =>
      Promise.resolve(
        answer.success && answer.provenance.raw.includes('13') ? { success: false, error } : answer,
      ),
  });

  expect((await finalizer.submit('{"output":{"answer":13}}')).text).toContain('There is no such id');
  expect((await finalizer.submit('{"output":{"answer":14}}')).type).toBe('accepted');
});

it('settles without an answer if none was submitted, and accepts none after that', async () => {
  const finalizer = make();

  expect(await finalizer.settle()).toBeUndefined();
  expect((await finalizer.submit('{"output":{"answer":1}}')).type).toBe('refused');
});

it('waits for the pending check before it settles', async () => {
  const release = Promise.withResolvers<void>();
  const finalizer = make({
    async check(answer) {
      await release.promise;
      return answer;
    },
  });

  const reply = finalizer.submit('{"output":{"answer":1}}');
  const settled = finalizer.settle();
  release.resolve();
  expect((await reply).type).toBe('accepted');
  expect(await settled).toMatchObject({ success: true });
});

it.each([
  ['{"output":{"output":{"answer":1}}}', 'unwrapped-output'],
  [JSON.stringify({ output: '{"answer":1}' }), 'parsed-string'],
])('removes wrappers around an answer, and reports it: %s', async (text, kind) => {
  const finalizer = make();

  expect((await finalizer.submit(text)).type).toBe('accepted');
  expect(await finalizer.settle()).toMatchObject({
    output: { answer: 1 },
    provenance: { repairs: [{ kind }] },
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCompletionWatch } from './completion-signal.ts';

const SIGNAL = '<promise>COMPLETE</promise>';

describe('a completion watch', () => {
  it('arms on a signal that is cut anywhere', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.array(fc.nat({ max: 60 }), { maxLength: 8 }),
        (before, after, cuts) => {
          const text = before + SIGNAL + after;
          const at = [0, ...cuts.map((cut) => cut % text.length).sort((a, b) => a - b), text.length];
          const watch = createCompletionWatch([SIGNAL]);
          at.slice(1).forEach((end, index) => watch.text(text.slice(at[index], end)));
          expect(watch.armed).toBe(SIGNAL);
        },
      ),
    );
  });

  it('takes the signal back at a later tool call', () => {
    const watch = createCompletionWatch([SIGNAL]);
    watch.text(`I will say ${SIGNAL} when done.`);
    watch.toolCall('1');
    expect(watch.armed).toBeUndefined();
  });

  it('does not join a signal across a tool call', () => {
    const watch = createCompletionWatch([SIGNAL]);
    watch.text(SIGNAL.slice(0, 10));
    watch.toolCall('1');
    watch.text(SIGNAL.slice(10));
    expect(watch.armed).toBeUndefined();
  });

  it('knows a call as open until its result came', () => {
    const watch = createCompletionWatch([SIGNAL]);
    watch.answered();
    watch.toolCall('1');
    watch.toolCall(undefined);
    watch.toolResult('1');
    expect(watch.isDone).toBe(false);
    watch.toolResult(undefined);
    expect(watch.isDone).toBe(true);
  });

  it('is done by its signal or by its answer, whatever it was calling when it answered', () => {
    const watch = createCompletionWatch([SIGNAL]);
    expect(watch.isDone).toBe(false);
    watch.toolCall('1');
    watch.answered();
    expect(watch.isDone).toBe(true);
    expect(watch.armed).toBeUndefined();
    const other = createCompletionWatch([SIGNAL]);
    other.text(SIGNAL);
    expect(other.isDone).toBe(true);
  });

  it('reports the signal said last when there are several', () => {
    const watch = createCompletionWatch(['DONE', 'GIVE UP']);
    watch.text('DONE, or rather: GIVE UP');
    expect(watch.armed).toBe('GIVE UP');
  });

  it('reports nothing for text without a signal', () => {
    const watch = createCompletionWatch([SIGNAL]);
    watch.text('<promise>COMPLET</promise>');
    expect(watch.armed).toBeUndefined();
  });
});

describe('a completion watch of an agent without tool calls', () => {
  const armedAfter = (chunks: readonly string[], signals = [SIGNAL]): string | undefined => {
    const watch = createCompletionWatch(signals, { onlyLastWords: true });
    chunks.forEach((chunk) => watch.text(chunk));
    return watch.armed;
  };

  it.each([
    ['on a line of its own', [`Done.\n${SIGNAL}\n`]],
    ['as the last words', [`Done. ${SIGNAL}`]],
    ['cut in two', [SIGNAL.slice(0, 10), SIGNAL.slice(10)]],
    ['before blank lines', [SIGNAL, '\n', ' \n\n', ' '.repeat(100)]],
    ['after an earlier mention', [`I will say ${SIGNAL} at the end.\n`, `${SIGNAL}\n`]],
  ])('arms on a signal %s', (_name, chunks) => {
    expect(armedAfter(chunks)).toBe(SIGNAL);
  });

  it.each([
    ['within a sentence', [`I will say ${SIGNAL} at the end.`]],
    ['that ends a sentence', [`…I will print ${SIGNAL}. Not yet.`]],
    ['followed by words in another chunk', [`${SIGNAL}\n`, '\n', 'Still at it.\n']],
    ['followed by a part of itself', [SIGNAL, SIGNAL.slice(0, 5)]],
  ])('does not arm on a signal %s', (_name, chunks) => {
    expect(armedAfter(chunks)).toBeUndefined();
  });

  it('arms on whole words, and on the longest signal', () => {
    expect(armedAfter(['UNDONE'], ['DONE'])).toBeUndefined();
    expect(armedAfter(['ALL ', 'DONE\n'], ['DONE', 'ALL DONE'])).toBe('ALL DONE');
  });
});

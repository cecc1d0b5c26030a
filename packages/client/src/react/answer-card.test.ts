import { ServerError } from '@truecast/core/internal/errors/server-error';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { RefusedAttempt } from '../refused-attempts.ts';
import type { Receipt } from '../wire/receipt.ts';
import { AnswerCard, type AnswerCardProps } from './answer-card.ts';

interface Bug {
  readonly file: string;
  readonly line: number;
}

const calls = { ask: () => undefined, retry: () => undefined, stop: () => undefined };
const show = (
  answer: Pick<AnswerCardProps<Bug>['answer'], 'status'> & Partial<AnswerCardProps<Bug>['answer']>,
  more: Partial<AnswerCardProps<Bug>> = {},
): string => {
  const whole = { attempts: [], ...calls, ...answer } as AnswerCardProps<Bug>['answer'];
  return renderToStaticMarkup(createElement(AnswerCard<Bug>, { answer: whole, ...more }));
};
const refused: RefusedAttempt<Bug> = {
  number: 1,
  code: 'invalid',
  issues: [{ path: '/line', rule: 'Expected number', got: '"<b>"' }],
  draft: { file: 'a.ts' },
};
const reason = '/line expected number, got &quot;&lt;b&gt;&quot;';
const list = `<ol class="refused" aria-label="Refused attempts"><li>${reason}</li></ol>`;
const receipt: Receipt = { request_id: 'r', status: 'succeeded', schema_hash: 'x', value: 7, attempts: [] };

it('shows the fields of the schema before a question, and while it waits', () => {
  const schema = z.object({ file: z.string() });
  expect(show({ status: 'idle' }, { schema, label: 'Bug', className: 'mine' })).toBe(
    '<section class="mine" aria-label="Bug" data-state="empty" aria-busy="false"><p role="status"></p>' +
      '<dl><div><dt>file</dt><dd data-empty=""></dd></div></dl></section>',
  );
  expect(show({ status: 'asking' })).toContain('data-state="waiting" aria-busy="true"');
});

it('shows a draft, its refusal with the reason and the refused value, and the correction', () => {
  const draft = show({ status: 'asking', draft: { file: 'b.ts' } });
  expect(draft).toContain('data-state="draft"');
  expect(draft).toContain(
    '<p role="status">Draft, not validated</p><dl><div><dt>file</dt><dd>b.ts</dd></div></dl>',
  );
  const wrong = show({ status: 'asking', attempts: [refused] });
  expect(wrong).toContain('data-state="refused"');
  expect(wrong).toContain(`<p role="status">Refused, trying again. ${reason}</p>`);
  expect(wrong).toContain(`<dd>a.ts</dd></div></dl>${list}`);
  const again = show({ status: 'asking', attempts: [refused], draft: { file: 'c.ts' } });
  expect(again).toContain('<p role="status">Correction, not validated</p>');
  expect(again).toContain('<dd>c.ts</dd>');
});

it('shows the sealed value, and how often it was refused', () => {
  const sealed = show({ status: 'valid', output: { file: 'a.ts', line: 7 }, receipt, attempts: [refused] });
  expect(sealed).toContain(
    'data-state="valid" aria-busy="false"><p role="status">Sealed, corrected after 1 refused</p>',
  );
  expect(sealed).toContain('<dt>line</dt><dd>7</dd>');
  expect(sealed).toContain(list);
  const odd = { status: 'valid', receipt } as const;
  expect(show({ ...odd, output: { at: new Date(0) } as never })).toContain(
    '<dd>1970-01-01T00:00:00.000Z</dd>',
  );
  expect(show({ ...odd, output: { n: 1n } as never })).toContain('</p>7</section>');
});

it('shows a failure with a button that asks again', () => {
  const error = new ServerError('No <model>.', { code: 'unreachable' });
  const failed = show({ status: 'failed', error, attempts: [refused] });
  expect(failed).toContain('data-state="failed"');
  expect(failed).toContain('<p role="alert">No &lt;model&gt;.</p><button type="button">Ask again</button>');
  expect(failed).toContain('<dd>a.ts</dd>');
});

import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Receipt } from '../wire/receipt.ts';
import { ValuePanel, type ValuePanelProps } from './value-panel.ts';

const schema = z.object({ file: z.string(), lines: z.array(z.object({ at: z.number() })) });
const show = (props: Partial<ValuePanelProps>): string =>
  renderToStaticMarkup(createElement(ValuePanel, { schema, ...props }));
const receipt: Receipt = {
  request_id: 'r',
  status: 'succeeded',
  schema_hash: 'x',
  value: { file: 'a.ts', lines: [{ at: 7 }] },
  attempts: [{ code: 'invalid', issues: [{ path: '/file', rule: 'Expected string' }] }, { code: 'ok' }],
};

it('shows the fields of the schema before they have a value', () => {
  expect(show({})).toBe(
    '<section data-state="empty" aria-busy="false"><dl>' +
      '<div><dt>file</dt><dd data-empty=""></dd></div><div><dt>lines</dt><dd data-empty=""></dd></div></dl></section>',
  );
});

it('shows the draft, then the value of the receipt and the refused attempts', () => {
  const draft = show({ draft: { file: 'b' }, className: 'mine' });
  expect(draft).toContain('<section class="mine" data-state="draft" aria-busy="true">');
  expect(draft).toContain('<dt>file</dt><dd>b</dd>');
  const sealed = show({ draft: { file: 'b' }, receipt });
  expect(sealed).toContain('data-state="valid"');
  expect(sealed).toContain('<dd>a.ts</dd>');
  expect(sealed).toContain('<ol><li><dl><div><dt>at</dt><dd>7</dd></div></dl></li></ol>');
  expect(sealed).toContain(
    '<ol class="refused" aria-label="Refused attempts"><li>/file expected string</li></ol>',
  );
});

it('says why there is no value, and escapes text of a model', () => {
  const error = { code: 'generation_failed', message: '<b>No.</b>' } as const;
  const failed = show({ receipt: { ...receipt, status: 'failed', error, value: undefined } });
  expect(failed).toContain('data-state="failed"');
  expect(failed).toContain('<p role="alert">&lt;b&gt;No.&lt;/b&gt;</p>');
});

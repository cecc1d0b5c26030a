/** Tests of the variables of a kept question: those of a text, and the text that is sent; in Chromium, the field of each. */
import { expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { filledMessage, isFilled, variablesOf, withValue } from '../../web/src/ask/variables.ts';
import { goTo, signIn, violationsOf, watchPage } from './console-fixture.ts';
import { layoutFaultsOf } from './layout-faults.ts';
import { packedConsole } from './packed-console.ts';

const MESSAGE = 'Which line of {{file}} has {{ BUG }}? Only {{file}}.';
const draft = { message: MESSAGE, kept: 'yes', values: '' };

it('has each variable once, in the order of the text', () => {
  expect(variablesOf(draft)).toEqual([
    { name: 'file', value: '' },
    { name: 'BUG', value: '' },
  ]);
  expect(variablesOf({ ...draft, message: 'No {{two words}}, {{}} or { {a} }.' })).toEqual([]);
});

it('sends the values as plain text, and a question that is not kept as it is written', () => {
  const file = withValue(draft, { name: 'file', value: '{{BUG}} $& a.ts' });
  expect(filledMessage({ ...draft, values: file })).toBe(
    'Which line of {{BUG}} $& a.ts has {{BUG}}? Only {{BUG}} $& a.ts.',
  );
  const values = withValue({ ...draft, values: file }, { name: 'BUG', value: 'a\nb' });
  expect(filledMessage({ ...draft, values })).toBe(
    'Which line of {{BUG}} $& a.ts has a\nb? Only {{BUG}} $& a.ts.',
  );
  expect(variablesOf({ ...draft, kept: '' })).toEqual([]);
  expect(filledMessage({ ...draft, kept: '', values })).toBe(MESSAGE);
});

it('needs a value with more than spaces, and ignores a draft that it cannot read', () => {
  expect(['', ' \n', 'a'].map((value) => isFilled({ name: 'file', value }))).toEqual([false, false, true]);
  for (const values of ['no JSON', '[1]', '{"file":7}']) {
    expect(variablesOf({ ...draft, values })[0]).toEqual({ name: 'file', value: '' });
  }
  expect(variablesOf({ ...draft, message: '{{constructor}}', values: '{}' })[0]?.value).toBe('');
});

let lastCall = '';
const suite = packedConsole({
  script: (call) => {
    lastCall = JSON.stringify(call);
    return reply.toolText(FINALIZER_NAME, '{"output":{"file":"a.ts","line":4,"why":"Because."}}');
  },
});

it('asks for each variable of a kept question, sends the filled text, and keeps the variables', async () => {
  const { server, browser } = suite;
  const { page, faults } = await watchPage(browser, server, { viewport: { width: 1440, height: 900 } });
  await signIn(page, server, 'ask');
  const question = page.getByRole('textbox', { name: 'Question', exact: true });
  const send = page.getByRole('button', { name: 'Ask', exact: true });
  const variables = page.getByRole('group', { name: 'Variables of the question' });
  const library = page.getByRole('dialog', { name: 'Kept questions' });
  const open = page.getByRole('button', { name: 'Kept questions' });
  await page.getByLabel('Model').selectOption('local:scripted');
  await question.fill(MESSAGE);
  // In another question it is plain text.
  await expect.poll(() => send.isEnabled()).toBe(true);
  expect(await variables.count()).toBe(0);
  await open.press('Enter');
  await library.getByLabel('Keep the question of the form as').fill('Line of a bug');
  await page.keyboard.press('Enter');
  await library.getByRole('button', { name: 'Replace' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await variables.waitFor();
  await question.fill('Something else');
  await open.press('Enter');
  await library.getByRole('button', { name: /^Line of a bug/u }).press('Enter');
  expect(await question.inputValue()).toBe(MESSAGE);

  const file = variables.getByRole('textbox', { name: 'file', exact: true });
  const bug = variables.getByRole('textbox', { name: 'BUG', exact: true });
  expect(await variables.getByRole('textbox').count()).toBe(2);
  expect(await send.isEnabled()).toBe(false);
  expect(await bug.getAttribute('aria-invalid')).toBe('true');
  await variables.getByText('Fill in BUG. The question needs its value.').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  for (const width of [1440, 1024, 768, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await layoutFaultsOf(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await file.fill('src/loop.ts');
  await bug.fill('   ');
  expect(await send.isEnabled()).toBe(false);
  // Its key does not send it either.
  await page.keyboard.press('Control+Enter');
  expect(new URL(page.url()).pathname).toBe('/ask');
  await bug.fill('an "off by one"');
  expect(await variables.getByText(/^Fill in/u).count()).toBe(0);
  await page.reload();
  expect(await bug.inputValue()).toBe('an "off by one"');
  const code = page.getByRole('region', { name: 'In your code' });
  expect(await code.innerText()).toContain('Which line of src/loop.ts has');
  await bug.press('Control+Enter');
  const sent = 'Which line of src/loop.ts has an "off by one"? Only src/loop.ts.';
  await page.getByRole('heading', { name: sent }).waitFor();
  await page.waitForSelector('[data-state=valid]');
  expect(lastCall).toContain('Which line of src/loop.ts has an');

  // The draft and the library have the variables, and another question has none.
  await goTo(page, 'ask');
  expect(await question.inputValue()).toBe(MESSAGE);
  expect(await file.inputValue()).toBe('src/loop.ts');
  await open.press('Enter');
  await library.getByRole('button', { name: /^Line of a bug/u }).press('Enter');
  expect(await question.inputValue()).toBe(MESSAGE);
  expect(await file.inputValue()).toBe('');
  expect(faults).toEqual([]);
});

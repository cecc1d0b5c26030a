/** Tests of the library of questions in the storage of a browser. */
import { expect, it } from 'vitest';
import { dropKept, keep, MAX_KEPT, readKept } from '../../web/src/ask/kept-questions.ts';

const question = (title: string, message = 'Which line?') => ({
  title,
  message,
  name: 'bug',
  schemaText: '{"type":"object"}',
});

function storage(stored: Record<string, string> = {}) {
  return {
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, text: string) => void (stored[key] = text),
  };
}

it('keeps the latest question first, one for each title, and deletes one', () => {
  const place = storage();
  keep(question('Bugs'), 'anna', place);
  keep(question('Invoices'), 'anna', place);
  keep(question('Bugs', 'Which file?'), 'anna', place);
  expect(readKept('anna', place)).toEqual([question('Bugs', 'Which file?'), question('Invoices')]);
  expect(readKept('ben', place)).toEqual([]);
  expect(dropKept('Bugs', 'anna', place)).toEqual([question('Invoices')]);
  expect(readKept('anna', place)).toEqual([question('Invoices')]);
});

it('keeps at most 100 questions, and drops the oldest', () => {
  const place = storage();
  for (let count = 0; count <= MAX_KEPT; count += 1) keep(question(`q${count}`), 'anna', place);
  const titles = readKept('anna', place).map(({ title }) => title);
  expect([titles.length, titles[0], titles.at(-1)]).toEqual([MAX_KEPT, `q${MAX_KEPT}`, 'q1']);
});

it('leaves out what is not a kept question', () => {
  const texts = ['no JSON', '{"title":"x"}', JSON.stringify([1, { title: 'x' }, question('Bugs')])];
  const read = texts.map((text) => readKept('anna', storage({ 'truecast-kept-questions anna': text })));
  expect(read).toEqual([[], [], [question('Bugs')]]);
});

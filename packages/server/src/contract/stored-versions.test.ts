/** Tests of the versions of stored JSON. */
import { expect, it } from 'vitest';
import { readParts, readShownParts, readStep, receiptJson } from '../state/rows/stored-json.ts';
import { PARTS_FORM, toNewest, versionOf, type StoredForm } from './stored-versions.ts';

const FORM: StoredForm = {
  of: 'a message',
  steps: [(value) => ['second', value], (value) => ['third', value]],
};

it.each([
  [1, ['third', ['second', 'stored']]],
  [2, ['third', 'stored']],
  [3, 'stored'],
])('a value of version %i takes the steps to the newest one', (version, expected) => {
  expect(versionOf(FORM)).toBe(3);
  expect(toNewest(FORM, 'stored', version)).toEqual(expected);
});

it('a row of a newer version is refused, and shown as a message that cannot be read', () => {
  const row = { parts: '[{"type":"text","text":"Hello."}]', parts_version: versionOf(PARTS_FORM) };
  expect(readParts(row)).toEqual([{ type: 'text', text: 'Hello.' }]);
  const newer = { ...row, parts_version: row.parts_version + 1 };
  expect(() => readParts(newer)).toThrow('Update all processes of this database.');
  expect(readShownParts(newer)).toMatchObject([{ text: expect.stringContaining('cannot be read') }]);
  const receipt = { error: null, attempts: '[]', usage: null, receipt_version: 99 };
  expect(() => receiptJson(receipt)).toThrow(
    expect.objectContaining({ code: 'invalid-state', message: expect.stringContaining('version 99') }),
  );
});

it('a fact of a step that only a newer process knows is left out', () => {
  const known = { finishReason: 'stop', model: 'local:scripted', attempt: { code: 'text_only' } };
  expect(readStep(JSON.stringify({ ...known, factOfTomorrow: { n: 1 } }))).toEqual(known);
  expect(() => readStep(JSON.stringify({ ...known, finishReason: 'tomorrow' }))).toThrow('unknown format');
});

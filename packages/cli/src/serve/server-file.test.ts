/** Note of the local server: what another program wrote there is no note. */
import { rm, writeFile } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { readServerNote, serverNotePath, writeServerNote } from './server-file.ts';

const NOTE = { url: 'http://127.0.0.1:4000', token: 'x' };

afterEach(() => rm(serverNotePath(), { force: true }));

it('reads the note that it wrote', async () => {
  await writeServerNote(NOTE);
  expect(await readServerNote()).toEqual(NOTE);
});

it.each(['', '{', '[]', '{"token":"x"}', '{"url":1}', '{"url":"x","token":1}'])(
  'has no note where the file contains %j',
  async (text) => {
    await writeServerNote(NOTE);
    await writeFile(serverNotePath(), text);
    expect(await readServerNote()).toBeUndefined();
  },
);

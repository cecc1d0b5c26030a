import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from './open-sqlite.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'truecast-sqlite-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('an empty folder that gets the database is ignored by git as a whole', async () => {
  mkdirSync(join(folder, 'data'));
  (await openSqlite(join(folder, 'data', 'chats.sqlite'))).close();
  expect(readFileSync(join(folder, 'data', '.gitignore'), 'utf8')).toBe('*\n');
});

it('a folder with other files gets no rule of ours', async () => {
  writeFileSync(join(folder, 'notes.txt'), '');
  (await openSqlite(join(folder, 'chats.sqlite'))).close();
  expect(readdirSync(folder).toSorted()).toEqual(['chats.sqlite', 'notes.txt']);
});

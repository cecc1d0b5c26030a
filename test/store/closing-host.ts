/**
 * Process that opens a new file for each number of rows, appends that many, closes it, and prints
 * `closed N`.
 */
import { rmSync } from 'node:fs';
import { openStore } from '../../packages/store/src/open-store.ts';
import { eventRow } from './event-row.ts';

const [url = '', first = '', last = ''] = process.argv.slice(2);
for (let rows = Number(first); rows <= Number(last); rows += 1) {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${url}${ending}`, { force: true });
  const store = await openStore({ url });
  for (let index = 0; index < rows; index += 1) {
    await store.db
      .insertInto('events')
      .values(eventRow(`${index}`))
      .execute();
  }
  await store.close();
  process.stdout.write(`closed ${rows}\n`);
}

/**
 * Process that takes a lock of a repository, for the tests of locks. Its arguments are the JSON of `LockOptions`
 * without `now`, and a file with a number: it adds one ten times under the lock. Without a file it holds the lock.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { acquireLock, type LockOptions, withLock } from '../../packages/truecast/src/git/command/lock.ts';

const [given = '', counter] = process.argv.slice(2);
const options: LockOptions = { ...(JSON.parse(given) as Omit<LockOptions, 'now'>), now: new Date() };

if (counter === undefined) {
  await acquireLock(options);
  process.stdout.write('held\n');
  setInterval(() => undefined, 1000);
} else {
  for (let count = 0; count < 10; count += 1) await withLock({ ...options, waitMs: 60_000 }, addOne);
}

async function addOne(): Promise<void> {
  const value = Number(readFileSync(counter ?? '', 'utf8'));
  await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(counter ?? '', String(value + 1));
}

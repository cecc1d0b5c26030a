/** Two processes send messages of one owner at once. Together they are admitted exactly up to the quota. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { bundledHost } from '../bundled-host.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';

const HOST = await bundledHost(new URL('quota-race-host.ts', import.meta.url));
const outcomesSchema = z.array(z.string());

describeOnBothStores('a quota across processes', (fixture) => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  it('admits exactly its limit of concurrent messages', async () => {
    const url = await fixture.freshUrl();
    await fixture.open(url);
    const racers = [1, 2].map(() => {
      const child = spawn(process.execPath, [HOST, url], { stdio: ['pipe', 'pipe', 'inherit'] });
      children.push(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const next = async (): Promise<string> => z.string().parse((await lines.next()).value);
      return { child, next };
    });
    expect(await Promise.all(racers.map(({ next }) => next()))).toEqual(['ready', 'ready']);
    for (const { child } of racers) child.stdin.write('go\n');
    const told = await Promise.all(racers.map(({ next }) => next()));
    const untilExit = async ({ child }: (typeof racers)[number]): Promise<void> => {
      if (child.exitCode === null) await once(child, 'exit');
    };
    await Promise.all(racers.map(untilExit));
    const outcomes = told.flatMap((line) => outcomesSchema.parse(JSON.parse(line))).toSorted();
    expect(outcomes).toEqual([
      ...Array.from({ length: 7 }, () => 'accepted'),
      ...Array.from({ length: 13 }, () => 'quota-exceeded'),
    ]);
  });
});

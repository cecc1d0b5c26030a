/** Tests of the hints of runs, and of the waits that use them. */
import { expect, it } from 'vitest';
import { Listeners } from '@truecast/store/internal/database/listeners';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import { runHints } from './run-hints.ts';
import { runIn, RUN_OWNER, testRuns } from './test-runs.ts';

it('reads a notification once for any number of listeners, and calls those of its run and its owner', () => {
  const listeners = new Listeners(() => undefined);
  let subscriptions = 0;
  const hints = runHints({
    subscribe(channel, listener) {
      subscriptions += 1;
      return listeners.add(channel, listener);
    },
    publish: () => Promise.resolve(),
  });
  const heard: string[] = [];
  const leaves = ['a', 'a', 'b'].map((id) =>
    hints.onRun(id, (notice) => heard.push(`${id} ${notice?.status}`)),
  );
  hints.onOwnersRuns('anna', (id) => heard.push(`anna ${id}`));
  hints.onCanceling((id) => heard.push(`canceling ${id}`));
  const tell = (...notice: string[]): void => listeners.tell('run', JSON.stringify(notice));
  tell('a', 'running', 'anna', 'working');
  // A text.
  tell('a', 'running', 'anna', 'working');
  tell('b', 'canceling', 'bert', 'working');
  expect(heard).toEqual([
    'a running',
    'a running',
    'anna a',
    'a running',
    'a running',
    'b canceling',
    'canceling b',
  ]);
  expect(subscriptions).toBe(1);
  heard.length = 0;
  for (const leave of leaves) leave();
  listeners.tellMissed();
  expect(heard).toEqual(['anna undefined']);
});

describeOnBothStores('a wait for a run', (open) => {
  it('reads its whole row once, however many commits the run has', async () => {
    const store = open();
    const reads: string[] = [];
    const db = store.db.withPlugin({
      transformQuery({ node }) {
        if (node.kind === 'SelectQueryNode' && JSON.stringify(node.selections).includes('SelectAll')) {
          reads.push(node.kind);
        }
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const machine = testRuns(store);
    const { runId, fence } = await runIn(machine, 'running');
    const waiting = testRuns({ ...store, db }).waitForRun({ owner: RUN_OWNER, runId, waitMs: 60_000 });
    for (const text of ['a', 'b', 'c']) await machine.note(fence, { events: [{ type: 'text', text }] });
    await machine.endRun(fence, { status: 'succeeded', text: 'Done.' });
    expect(await waiting).toMatchObject({ status: 'succeeded' });
    expect(reads).toHaveLength(1);
  });
});

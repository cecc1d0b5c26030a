/** Text in the journal of a run: joined for a quarter of a second, but never kept at length. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stateHome } from '@truecast/host/internal/state-home';
import { expect, it } from 'vitest';
import { KEPT_FILES } from '../record/kept-run.ts';
import type { StartedRun } from '../record/kept-run-record.ts';
import { RunJournal } from './run-journal.ts';
import { toJournalEvents } from './to-journal-events.ts';

it('writes a long text before its timer ends, and joins a short one until then', () => {
  const folder = join(stateHome(), `journal-${randomUUID()}`);
  const journal = new RunJournal('r1');
  // Only its JSON is written.
  journal.open(folder, { id: 'r1' } as unknown as StartedRun);
  const path = join(folder, 'runs', 'r1', KEPT_FILES.events);
  const say = (): void =>
    journal.write({ type: 'text', timestamp: new Date(), iteration: 1, text: 'x'.repeat(1_000) });
  for (let count = 0; count < 50; count += 1) say();
  expect(existsSync(path)).toBe(false);
  for (let count = 0; count < 1_000; count += 1) say();
  const written = readFileSync(path, 'utf8');
  expect(written.length).toBeGreaterThan(900_000);
  journal.end(1, undefined);
  const text = readFileSync(path, 'utf8').replaceAll(/[^x]/gu, '');
  expect(text.length).toBeGreaterThanOrEqual(1_050_000);
  rmSync(folder, { recursive: true });
});

it('has a line for a call on the host, without its arguments', () => {
  const timestamp = new Date(0);
  const event = {
    type: 'host-tool',
    name: 'ticket',
    isError: true,
    durationMs: 12,
    timestamp,
    iteration: 1,
  } as const;
  expect(toJournalEvents(event)).toEqual([
    {
      type: 'host_tool',
      name: 'ticket',
      text: '12 ms',
      isError: true,
      at: timestamp.toISOString(),
      iteration: 1,
    },
  ]);
});

it('has the broken rules of a refused answer', () => {
  const timestamp = new Date(0);
  const issues = [{ path: ['line'], message: 'Expected integer' }];
  const refused = { type: 'attempt-end', attempt: 1, code: 'schema-mismatch', message: 'Wrong.' } as const;
  const line = {
    type: 'attempt',
    name: 'schema-mismatch',
    text: 'Wrong.',
    at: timestamp.toISOString(),
    iteration: 1,
  };
  expect(toJournalEvents({ ...refused, timestamp, iteration: 1 })).toEqual([line]);
  expect(toJournalEvents({ ...refused, issues, timestamp, iteration: 1 })).toEqual([
    { ...line, issues: [{ path: '/line', rule: 'Expected integer' }] },
  ]);
});

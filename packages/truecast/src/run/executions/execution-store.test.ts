/** Tests of the store of runs with an id: which records it forgets. */
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/run/fixture.ts';
import { openExecutionStore } from './execution-store.ts';
import type { ExecutionRecord } from './execution-record.ts';

const recordOf = (id: string, phase: ExecutionRecord['phase']): ExecutionRecord => ({
  version: 1,
  id,
  asked: {},
  phase,
  executions: 1,
  iterations: [],
});

it('forgets the oldest ended runs a hundred at a time, and keeps one that has not ended', () => {
  const folder = temporaryFolder();
  const first = openExecutionStore(folder, 'first');
  first.write(recordOf('first', 'working'));
  const files = join(folder, 'executions');
  const names = (): readonly string[] => readdirSync(files);
  const [open = ''] = names();
  for (let index = 0; index < 1_097; index += 1) {
    const path = join(files, `${index}.json`);
    writeFileSync(path, JSON.stringify(recordOf(`${index}`, 'ended')));
    utimesSync(path, 1_000 + index, 1_000 + index);
  }
  utimesSync(join(files, open), 1, 1);
  openExecutionStore(folder, 'next').write(recordOf('next', 'ended'));
  expect(names()).toHaveLength(1_099);
  openExecutionStore(folder, 'last').write(recordOf('last', 'ended'));
  const left = names();
  // The one that has not ended is among the hundred oldest.
  expect(left).toHaveLength(1_001);
  expect([left.includes(open), left.includes('98.json'), left.includes('99.json')]).toEqual([
    true,
    false,
    true,
  ]);
});

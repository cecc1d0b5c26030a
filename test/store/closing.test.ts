/** Closing a SQLite store while its thread moves pages: the process continues, and ends with 0. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { matrixCases } from '../matrix.ts';

const HOST = await bundledHost(new URL('closing-host.ts', import.meta.url));

const folder = await mkdtemp(join(tmpdir(), 'truecast-closing-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function closeAfterEach(first: number, last: number): Promise<Ended> {
  const args = [HOST, join(folder, `${first}.sqlite`), `${first}`, `${last}`];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
  });
}

describe('a program that appends rows and closes its store', () => {
  // The first checkpoint starts after about 100 commits.
  const ranges = matrixCases(1, [
    [90, 110],
    [111, 130],
  ] as const);
  it.each(ranges)('ends with 0 and its whole output after each of %i to %i rows', async (first, last) => {
    const { exitCode, stdout, stderr } = await closeAfterEach(first, last);
    const expected = Array.from({ length: last - first + 1 }, (_, index) => `closed ${first + index}\n`);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: expected.join(''), stderr: '' });
  });
});

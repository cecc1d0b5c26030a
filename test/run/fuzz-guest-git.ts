/** Long form of the history property: `npm run fuzz:guest-git -- [sequences] [seed]`, on all processors. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkHistory, prepareHistory, type HistoryReport } from './guest-git-history.ts';

const sequences = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
/** Sequences per repository. Its objects grow, and `fsck` checks all of them. */
const BATCH = 100;

function makeRepository(folder: string): string {
  const path = join(folder, 'repo');
  const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: path });
  mkdirSync(path);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@localhost');
  return path;
}

async function runBatch(from: number): Promise<HistoryReport> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-fuzz-')));
  try {
    const path = makeRepository(folder);
    prepareHistory(path);
    return await checkHistory(path, { seed, from, to: Math.min(from + BATCH, sequences) });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const starts = Array.from({ length: Math.ceil(sequences / BATCH) }, (_, index) => index * BATCH);
const totals = { handedOver: 0, refused: 0, moved: 0, recovered: 0, violations: 0 };
async function work(): Promise<void> {
  for (let from = starts.shift(); from !== undefined; from = starts.shift()) {
    const { handedOver, refused, moved, recovered, violations } = await runBatch(from);
    totals.handedOver += handedOver;
    totals.refused += refused;
    totals.moved += moved;
    totals.recovered += recovered;
    totals.violations += violations.length;
    for (const violation of violations) process.stderr.write(`${violation}\n`);
    const done = totals.handedOver + totals.refused;
    if (done % 1_000 < BATCH) process.stderr.write(`${done} sequences\n`);
  }
}
// A hand-over waits for processes most of the time.
await Promise.all(Array.from({ length: 3 * availableParallelism() }, work));
process.stdout.write(`seed ${seed}: ${JSON.stringify(totals)}\n`);
process.exitCode = totals.violations === 0 ? 0 : 1;

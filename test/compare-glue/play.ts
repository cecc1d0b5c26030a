/** Play of one job: starts its program in its world, once more after a kill, and returns the outcome. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from './run-job.ts';
import type { OpenWorld } from './world.ts';

/** Time that a program gets beyond its own limit. */
const GRACE_MS = 15_000;

export interface Played {
  /** Undefined if the program did not end in time, or ended without an outcome. */
  readonly outcome: Outcome | undefined;
  readonly ended: 'in-time' | 'too-late' | 'without-outcome';
  /** What it printed. */
  readonly printed: string;
  readonly wasKilled: boolean;
}

/** Plays `program` in `opened`. */
export async function playJob(program: string, opened: OpenWorld, limitMs: number): Promise<Played> {
  const first = await start(program, opened, limitMs);
  if (!first.wasKilled) return first;
  const second = await start(program, opened, limitMs);
  return { ...second, printed: first.printed + second.printed, wasKilled: true };
}

async function start(program: string, opened: OpenWorld, limitMs: number): Promise<Played> {
  const { place, world } = opened;
  const worldFile = join(place.root, 'world.json');
  const outcomeFile = join(place.root, 'outcome.json');
  writeFileSync(worldFile, JSON.stringify(world));
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'run-job.ts'), program, worldFile, outcomeFile],
    {
      cwd: place.root,
      env: {
        ...world.env,
        NODE_NO_WARNINGS: '1',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
    });
  }
  let end: 'in-time' | 'too-late' | 'killed' = 'in-time';
  opened.onKill = () => {
    end = 'killed';
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => {
    end = 'too-late';
    child.kill('SIGKILL');
  }, limitMs + GRACE_MS);
  await once(child, 'exit');
  clearTimeout(timer);
  opened.onKill = () => undefined;
  const wasKilled = (end as string) === 'killed';
  const outcome =
    end === 'in-time' && existsSync(outcomeFile)
      ? (JSON.parse(readFileSync(outcomeFile, 'utf8')) as Outcome) // written by run-job.ts
      : undefined;
  const ended = end === 'in-time' ? (outcome === undefined ? 'without-outcome' : 'in-time') : 'too-late';
  return { outcome, ended, printed, wasKilled };
}

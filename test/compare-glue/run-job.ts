/** Job runner: runs one program of a job in its own process, and writes its outcome to a file. */
import { renameSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { World } from './world.ts';

/** The value that a program returned, or the error that it threw. */
export type Outcome =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'error'; readonly name: string; readonly code?: string; readonly message: string };

const [program = '', worldFile = '', outcomeFile = ''] = process.argv.slice(2);
const world = JSON.parse(readFileSync(worldFile, 'utf8')) as World;
const { job } = (await import(pathToFileURL(program).href)) as { job(world: World): Promise<unknown> };
write(await job(world).then((value): Outcome => ({ type: 'value', value }), failure));
process.exit(0);

function failure(error: unknown): Outcome {
  if (!(error instanceof Error)) return { type: 'error', name: 'unknown', message: String(error) };
  const { code } = error as { code?: unknown };
  return {
    type: 'error',
    name: error.name,
    ...(typeof code === 'string' && { code }),
    message: error.message,
  };
}

function write(outcome: Outcome): void {
  writeFileSync(`${outcomeFile}.part`, JSON.stringify(outcome));
  renameSync(`${outcomeFile}.part`, outcomeFile);
}

/** `truecast worker`: processes turns of a shared database, without HTTP. */
import { UsageError } from '../../errors/usage-error.ts';
import { tell, type Terminal } from '../terminal/print.ts';
import { loadConfig } from './load-config.ts';
import { openWorker } from '../../serve/open-worker.ts';
import { describeModels } from './describe-models.ts';
import { untilStopped } from './until-stopped.ts';

/** Flags of `truecast worker`. */
export interface WorkerFlags {
  readonly databaseUrl?: string;
  readonly model?: readonly string[];
  readonly config?: string;
}

/** Works until a signal. */
export async function workerCommand(flags: WorkerFlags, terminal: Terminal): Promise<void> {
  const { databaseUrl } = flags;
  if (databaseUrl === undefined) {
    throw new UsageError(
      'A worker shares its database with a server. Pass `--database-url postgres://…`, the address that `truecast serve` has.',
    );
  }
  const log = (line: string): void => tell(line, terminal);
  const config = await loadConfig(flags.config);
  const worker = await openWorker({
    config,
    log,
    databaseUrl,
    environment: process.env,
    models: flags.model ?? [],
  });
  try {
    const stopped = untilStopped(() => log('Stopped at once. Others take up its turns.'));
    log(describeModels(worker.models));
    log('Working.');
    await stopped;
    log('Stopping: turns under way end after their last commit, and others take them up.');
  } finally {
    await worker.close();
  }
}

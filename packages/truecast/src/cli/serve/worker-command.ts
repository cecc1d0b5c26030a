/** `truecast worker`: processes turns of a shared database, without HTTP. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { tell, type Terminal } from '../terminal/print.ts';
import { loadConfig } from './load-config.ts';
import { openWorker } from '@truecast/server/internal/serve/open-worker';
import { describeModels } from './describe-models.ts';
import { untilStopped } from './until-stopped.ts';

/** Flags of `truecast worker`. */
export interface WorkerFlags {
  readonly databaseUrl?: string;
  readonly model?: readonly string[];
  readonly models?: string;
  readonly config?: string;
  readonly retentionDays?: number;
}

/** Works until a signal. */
export async function workerCommand(flags: WorkerFlags, terminal: Terminal): Promise<void> {
  const { databaseUrl } = flags;
  if (databaseUrl === undefined) {
    throw new UsageError(
      'A worker needs the Postgres database of its server. Pass the same `--database-url postgres://…` as to `truecast serve`.',
    );
  }
  if (!/^postgres(?:ql)?:/u.test(databaseUrl)) {
    throw new UsageError(
      'Expected `--database-url` of a worker to be a `postgres://…` URL. Notifications of an SQLite database do not leave a process, so clients of the server would not see what a worker does. Use Postgres for both, or `truecast serve` alone.',
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
    modelsFile: flags.models,
    retentionDays: flags.retentionDays,
  });
  try {
    const stopped = untilStopped(() => log('Stopped at once. Other processes continue its turns.'));
    log(describeModels(worker.models));
    log('Working.');
    await stopped;
    log('Stopping: running turns stop after their last commit, and other processes continue them.');
  } finally {
    await worker.close();
  }
}

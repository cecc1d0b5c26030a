/** `truecast worker`: processes turns of a shared database, without HTTP. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { tell, type Terminal } from '../terminal/print.ts';
import { loadConfig } from './load-config.ts';
import type { LogLevel, ServerConfig } from '@truecast/server/internal/config/server-config';
import type { BoundServer } from '@truecast/server/internal/http/app/bind-server';
import { openWorker, type WorkerSettings } from '@truecast/server/internal/serve/open-worker';
import { serveMetrics } from '@truecast/server/internal/serve/serve-metrics';
import { describeModels } from './describe-models.ts';
import { readSecretFiles } from './secret-files.ts';
import { processLog, untilStopped } from './until-stopped.ts';

export interface WorkerFlags {
  readonly databaseUrl?: string;
  readonly model?: readonly string[];
  readonly models?: string;
  readonly config?: string;
  readonly retentionDays?: number;
  readonly skeletonRetentionDays?: number;
  readonly auditRetentionDays?: number;
  readonly shutdownSeconds?: number;
  readonly logLevel?: LogLevel;
}

export interface WorkerOnlyFlags extends WorkerFlags {
  readonly metricsPort?: number;
  readonly metricsHost: string;
}

/** Returns the retention settings of the command line. */
export function retentionOf({
  retentionDays,
  skeletonRetentionDays,
  auditRetentionDays,
}: WorkerFlags): Pick<WorkerSettings, 'retentionDays' | 'skeletonRetentionDays' | 'auditRetentionDays'> {
  return { retentionDays, skeletonRetentionDays, auditRetentionDays };
}

/** Returns the configuration with the settings of the command line, which take precedence. */
export function configOf({ shutdownSeconds }: WorkerFlags, config: ServerConfig): ServerConfig {
  return shutdownSeconds === undefined ? config : { ...config, shutdownMs: shutdownSeconds * 1_000 };
}

/** Processes turns until a process signal. */
export async function workerCommand(flags: WorkerOnlyFlags, terminal: Terminal): Promise<void> {
  const { databaseUrl } = flags;
  if (databaseUrl === undefined) {
    throw new UsageError(
      'A worker needs the Postgres database of its server. Pass the same `--database-url postgres://…` as to `truecast serve`.',
    );
  }
  if (!/^postgres(?:ql)?:/u.test(databaseUrl)) {
    throw new UsageError(
      'Expected `--database-url` of a worker to be a `postgres://…` URL. SQLite notifications do not reach other processes, so clients of the server would not see the answers of the worker. Use Postgres for both, or `truecast serve` alone.',
    );
  }
  const log = (line: string): void => tell(line, terminal);
  await readSecretFiles(process.env);
  const config = configOf(flags, await loadConfig(flags.config));
  const worker = await openWorker({
    config,
    ...processLog(flags, config, terminal),
    databaseUrl,
    environment: process.env,
    models: flags.model ?? [],
    modelsFile: flags.models,
    ...retentionOf(flags),
  });
  const { metricsPort: port, metricsHost: host } = flags;
  let metrics: BoundServer | undefined;
  try {
    metrics = port === undefined ? undefined : await serveMetrics(worker, { host, port });
    const stopped = untilStopped(() => log('Stopped at once. Other processes continue its turns.'));
    log(describeModels(worker.models, process.env));
    if (metrics !== undefined) log(`metrics: ${metrics.url}/metrics`);
    log('Working.');
    await stopped;
    log('Stopping: running turns stop after their last commit, and other processes continue them.');
  } finally {
    await metrics?.close();
    await worker.close();
  }
}

/** `truecast serve`: serves chats over HTTP, with a worker in the same process. */
import type { HttpServer } from '@truecast/server/internal/http/app/listen-http';
import { describeStorePlace } from '@truecast/server/internal/serve/server-store';
import { tell, type Terminal } from '../terminal/print.ts';
import { describeModels } from './describe-models.ts';
import { loadConfig } from './load-config.ts';
import { processLog } from './process-log.ts';
import { assertHasToken, localToken } from './local-token.ts';
import { openWorker, type OpenWorker } from '@truecast/server/internal/serve/open-worker';
import { SCRIPTED_MODEL } from '@truecast/server/internal/serve/scripted-model';
import { serverNotePath, writeServerNote } from './server-file.ts';
import { serveHttp } from '@truecast/server/internal/serve/serve-http';
import { untilStopped } from './until-stopped.ts';
import type { WorkerFlags } from './worker-command.ts';

/** Flags of `truecast serve`. */
export interface ServeFlags extends WorkerFlags {
  readonly port: number;
  readonly host: string;
}

/** Serves until a signal. */
export async function serveCommand(flags: ServeFlags, terminal: Terminal): Promise<void> {
  const log = (line: string): void => tell(line, terminal);
  const config = await loadConfig(flags.config);
  const worker = await openWorker({
    config,
    ...processLog(flags, config, terminal),
    environment: process.env,
    models: flags.model ?? [],
    modelsFile: flags.models,
    retentionDays: flags.retentionDays,
    ...(flags.databaseUrl !== undefined && { databaseUrl: flags.databaseUrl }),
  });
  try {
    const isLoopback = isLoopbackHost(flags.host);
    if (!isLoopback) await assertHasToken(worker.store, flags.host);
    const token = isLoopback ? await localToken(worker.store) : undefined;
    const server = await serveHttp(worker, { host: flags.host, port: flags.port, config, hasConsole: true });
    const stopped = untilStopped(() => log('Stopped at once. Interrupted turns continue at the next start.'));
    await writeServerNote({ url: server.url, ...(token !== undefined && { token }) });
    log(`database: ${describeStorePlace(flags.databaseUrl)}`);
    tellStart(worker, server, { token, log, isTerminal: terminal.stderr.isTTY === true });
    await stopped;
    log(
      'Stopping: running turns stop after their last commit and continue at the next start. Press Ctrl+C again to stop at once.',
    );
    await server.close();
  } finally {
    await worker.close();
  }
}

interface Started {
  readonly token: string | undefined;
  readonly log: (line: string) => void;
  readonly isTerminal: boolean;
}

function tellStart({ models }: OpenWorker, { url }: HttpServer, { token, log, isTerminal }: Started): void {
  if (models.list().includes(SCRIPTED_MODEL))
    log(
      'model: scripted:demo, which echoes messages and generates sample values. For a real model, set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, or TRUECAST_BASE_URL and TRUECAST_MODEL.',
    );
  else log(describeModels(models));
  log(`docs: ${url}/docs`);
  // A log can be read by others, and outlives the terminal.
  if (token !== undefined && !isTerminal) log(`token: in ${serverNotePath()}`);
  // Browsers do not send the URL fragment, so the token appears in no server log.
  log(token === undefined || !isTerminal ? `Serving at ${url}` : `Serving at ${url}/#token=${token}`);
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** `truecast serve`: serves chats over HTTP, with a worker in the same process. */
import { explainMissingPackage } from '@truecast/core/internal/errors/load-package';
import type { ScenarioSource } from '@truecast/server/internal/contract/scenario-source';
import { isLoopbackHost } from '@truecast/server/internal/http/guard-origin';
import type { HttpServer } from '@truecast/server/internal/http/app/listen-http';
import { describeStorePlace } from '@truecast/server/internal/serve/server-store';
import { hasConsoleBuild } from '@truecast/server/internal/http/pages/console-files';
import { terminalSigns } from 'truecast/internal/support/terminal-text';
import { tell, type Terminal } from '../terminal/print.ts';
import { describeModels } from './describe-models.ts';
import { loadConfig } from './load-config.ts';
import { processLog, untilStopped } from './until-stopped.ts';
import { assertHasToken, localToken } from './local-token.ts';
import { adoptFirstToken, readSecretFiles } from './secret-files.ts';
import { serverNotePath, writeServerNote, writePrivateFile } from './server-file.ts';
import { openWorker, type OpenWorker } from '@truecast/server/internal/serve/open-worker';
import { profileModels } from '@truecast/server/internal/serve/profile-engines';
import { SCRIPTED_MODEL } from '@truecast/server/internal/serve/scripted-model';
import { serveHttp } from '@truecast/server/internal/serve/serve-http';
import { createSignInCode } from '@truecast/server/internal/http/session/sign-in-code';
import { signInLink } from './link-command.ts';
import { logLines, terminalLines } from './start-lines.ts';
import { configOf, retentionOf, type WorkerFlags } from './worker-command.ts';
import { startDetached } from 'truecast/internal/process/start-detached';

export interface ServeFlags extends WorkerFlags {
  readonly port: number;
  readonly host: string;
  readonly open?: true;
}

/** Serves until a process signal. */
export async function serveCommand(flags: ServeFlags, terminal: Terminal): Promise<void> {
  const log = (line: string): void => tell(line, terminal);
  await readSecretFiles(process.env);
  const config = configOf(flags, await loadConfig(flags.config));
  const worker = await openWorker({
    config,
    ...processLog(flags, config, terminal),
    environment: process.env,
    models: flags.model ?? [],
    modelsFile: flags.models,
    ...retentionOf(flags),
    ...(flags.databaseUrl !== undefined && { databaseUrl: flags.databaseUrl }),
  });
  try {
    await adoptFirstToken(worker.store, process.env);
    const isLoopback = isLoopbackHost(flags.host);
    if (!isLoopback) await assertHasToken(worker.store, flags.host);
    const token = isLoopback ? await localToken(worker.store) : undefined;
    const server = await serveHttp(worker, {
      host: flags.host,
      port: flags.port,
      config,
      hasConsole: true,
      ...(await openScenarios(worker)),
    });
    const stopped = untilStopped(() => log('Stopped at once. Interrupted turns continue at the next start.'));
    await writeServerNote({ url: server.url, ...(token !== undefined && { token }) });
    const newLink = (): Promise<string> => linkOf(worker, server, token);
    await tellStart(worker, server, {
      token,
      newLink,
      terminal,
      storePlace: describeStorePlace(flags.databaseUrl),
    });
    // The printed link stays unused, for another browser.
    if (flags.open === true) {
      await openBrowser(await newLink(), () => log('No browser could be opened. Open the printed link.'));
    }
    const stopProfiles = profileModels(worker);
    await stopped;
    stopProfiles();
    log(
      'Stopping: running turns stop after their last commit and continue at the next start. Press Ctrl+C again to stop at once.',
    );
    await server.close();
  } finally {
    await worker.close();
  }
}

/** Scenarios for the console. `@truecast/ensemble` is needed for them. */
async function openScenarios({ mask }: OpenWorker): Promise<{ readonly scenarios?: ScenarioSource }> {
  try {
    const { scenarioSource } = await import('./scenario-source.ts');
    return { scenarios: scenarioSource(mask.mask) };
  } catch (error) {
    if (explainMissingPackage(error, ['@truecast/ensemble']) !== error) return {};
    throw error;
  }
}

/** Returns the address of the console, which signs one browser in. */
async function linkOf(
  { store }: OpenWorker,
  { url }: HttpServer,
  token: string | undefined,
): Promise<string> {
  if (token === undefined || !hasConsoleBuild()) return url;
  return signInLink(url, (await createSignInCode(store, `Bearer ${token}`)).code);
}

interface Started {
  readonly token: string | undefined;
  readonly newLink: () => Promise<string>;
  readonly terminal: Terminal;
  readonly storePlace: string;
}

async function tellStart({ models }: OpenWorker, { url }: HttpServer, started: Started): Promise<void> {
  const { token, newLink, terminal, storePlace } = started;
  const isTerminal = terminal.stderr.isTTY === true;
  const isScripted = models.list().includes(SCRIPTED_MODEL);
  const facts = {
    url,
    // A log gets no link, so no code is made for it.
    link: isTerminal ? await newLink() : url,
    hasToken: token !== undefined,
    storePlace,
    notePath: serverNotePath(),
    models: isScripted ? undefined : describeModels(models, process.env),
    hasConsole: hasConsoleBuild(),
  };
  if (isTerminal) {
    for (const [line, meaning] of terminalLines(facts, terminalSigns())) tell(line, terminal, meaning);
  } else for (const line of logLines(facts)) tell(line, terminal);
}

const FILE_NAME = 'open.html';
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens the link in the user's browser. Calls `onFailure` if no browser starts. */
async function openBrowser(link: string, onFailure: () => void): Promise<void> {
  // The URL parser encodes quotes and angle brackets.
  const { href } = new URL(link);
  const page = `<!doctype html><meta charset="utf-8"><title>Truecast</title>
<meta http-equiv="refresh" content="0;url=${href}"><a href="${href}">Open Truecast</a>\n`;
  const file = await writePrivateFile(FILE_NAME, page);
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  startDetached(program, [...args, file], onFailure);
}

/** Owns the log of a run: its events as lines that a person reads, in order, with secrets masked. */
import { writeFile } from 'node:fs/promises';
import { cut, describeValue } from '../errors/describe-value.ts';
import type { RunEvidence } from '../errors/run-evidence.ts';
import { ensureTruecastFolder } from './git/truecast-folder.ts';
import { logFilePath, openLogFile, type LogFile } from './logging/log-file.ts';
import { createLiveDisplay, type LiveDisplay } from './logging/live-display.ts';
import { createSecretMask, secretValues, type SecretMask } from './logging/mask-secrets.ts';
import { isLiveTerminal } from './logging/terminal-screen.ts';
import type { NormalizedRunOptions } from './normalize-run-options.ts';
import type { PreparedRun } from './prepare-run.ts';
import type { RunEvent } from './run-events.ts';

/** Where a run is told. What comes before it is open is kept until it is. */
export interface RunLog {
  /** Undefined when the run logs to stdout, or is not open yet. */
  readonly path: string | undefined;
  open(branch: string | undefined): Promise<void>;
  write(event: RunEvent): void;
  /** Writes the agent's stdout as it came. */
  writeRaw(chunk: string): void;
  /** Writes what an aborted run left behind to a file beside the log. */
  writeEvidence(evidence: RunEvidence): Promise<void>;
  close(): Promise<void>;
}

/** Makes the log that the options ask for. */
export function createRunLog(
  options: NormalizedRunOptions,
  { repository, environment }: PreparedRun,
): RunLog {
  const { logging } = options;
  const secrets = createSecretMask(secretValues({ ...environment.host }));
  const mask = secrets.stream();
  const rawMask = secrets.stream();
  const display = createDisplay(options, secrets);
  const isShown = logging.type === 'stdout' && display !== undefined;
  let file: LogFile | undefined;
  let early = '';
  let isLineOpen = false;

  function writeOut(text: string): void {
    if (isShown) return;
    if (logging.type === 'stdout') process.stdout.write(text);
    else if (file === undefined) early += text;
    else void file.write(text);
  }
  function writeText(text: string): void {
    if (text !== '') isLineOpen = !text.endsWith('\n');
    writeOut(mask.push(text));
  }
  function writeLine(line: string): void {
    writeText(`${isLineOpen ? '\n' : ''}${line}\n`);
  }

  return {
    get path() {
      return file?.path;
    },
    async open(branch) {
      if (logging.type === 'stdout') return;
      const folder = ensureTruecastFolder(repository.mainTopLevel, 'logs');
      const path =
        logging.path ?? logFilePath(folder, { branch: branch ?? 'HEAD', name: slug(options.name) });
      file = await openLogFile({ path, startedAt: new Date() });
      void file.write(early);
    },
    write(event) {
      display?.update(event);
      if (event.type === 'text') writeText(event.text);
      else describeEvent(event).forEach(writeLine);
    },
    writeRaw(chunk) {
      display?.raw(rawMask.push(chunk));
      writeText(chunk);
    },
    async writeEvidence(evidence) {
      if (file !== undefined)
        await writeFile(`${file.path}.evidence.json`, `${JSON.stringify(evidence, null, 2)}\n`);
    },
    async close() {
      writeOut(mask.end());
      display?.raw(rawMask.end());
      display?.close();
      await file?.close();
    },
  };
}

function createDisplay(options: NormalizedRunOptions, mask: SecretMask): LiveDisplay | undefined {
  const { logging, name, maxRetries, maxIterations } = options;
  // Where stdout is a pipe or a file, whoever reads it wants all of the log.
  const own = isLiveTerminal(process.stdout) ? process.stdout : undefined;
  const stream = logging.type === 'stdout' ? own : logging.live;
  if (stream === undefined) return undefined;
  return createLiveDisplay({ stream, mask, name, maxAttempts: maxRetries + 1, maxIterations });
}

function slug(name: string | undefined): string | undefined {
  return name?.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-');
}

function describeEvent(event: Exclude<RunEvent, { type: 'text' }>): readonly string[] {
  switch (event.type) {
    case 'run-start':
      return [
        `Agent: ${event.agent}`,
        `Sandbox: ${event.sandbox}`,
        `Branch: ${event.branch}`,
        `Worktree: ${event.worktreePath}`,
      ];
    case 'sandbox-ready':
      return event.egress === undefined ? [] : [`Egress: ${event.egress}`];
    case 'iteration-start':
      return [`Iteration ${event.iteration}${event.attempt > 1 ? ` (attempt ${event.attempt})` : ''}`];
    case 'session':
      return [`Session: ${event.sessionId}`];
    case 'tool-call':
      return [`→ ${event.name} ${cut(JSON.stringify(event.input) ?? '')}`];
    case 'tool-result':
      return [`← ${event.isError ? 'error: ' : ''}${cut(event.output)}`];
    case 'usage':
      return [
        `Usage: ${event.usage.inputTokens} in, ${event.usage.outputTokens} out${event.usage.costUsd === undefined ? '' : `, $${event.usage.costUsd}`}`,
      ];
    case 'attempt-end':
      return [`Attempt ${event.attempt}: ${event.code}: ${event.message}`];
    case 'commits':
      return event.commits.map(({ sha }) => `Commit ${sha}`);
    case 'warning':
    case 'error':
      return [`${event.type === 'error' ? 'Error' : 'Warning'}: ${event.message}`];
    case 'dropped':
      return [`${event.count} events were not read in time`];
    case 'run-end':
      return [
        event.error === undefined
          ? 'Run ended.'
          : `Run failed: ${event.error instanceof Error ? event.error.message : describeValue(event.error)}`,
      ];
    case 'thinking':
    case 'end':
    case 'raw':
      return [];
    default:
      return event satisfies never;
  }
}

/** Run log: a run's events as human-readable lines, in order. */
import { cut, describeValue } from '@truecast/core/internal/kit/describe-value';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { RunEvidence } from '@truecast/core/internal/errors/base/run-evidence';
import { ensureStateFolder, repositoryStateFolder } from '@truecast/host/internal/state-folder';
import { logFilePath, openLogFile, type LogFile } from '../logging/log-file.ts';
import { createLiveDisplay, type LiveDisplay } from '../logging/live-display.ts';
import { escapeControls } from '../../support/terminal-text.ts';
import { isLiveTerminal } from '../logging/terminal-screen.ts';
import { openChosenFile } from '../../support/open-chosen-file.ts';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';
import type { Repository } from '../../git/repository/repository.ts';
import type { RunEvent } from '../events/run-events.ts';
import { describeReadyEgress } from '../../sandboxes/egress/egress-policy.ts';

/** Observer of a run that writes its log. Entries before `open` are buffered. */
export interface RunLog {
  /** Undefined if the run logs to stdout, or if the log is not open yet. */
  readonly path: string | undefined;
  open(branch: string | undefined): Promise<void>;
  event(event: RunEvent): void;
  /** Writes the agent's stdout, if the options request it. */
  readonly raw?: (text: string) => void;
  /** Writes the evidence of an aborted run to a file next to the log. */
  writeEvidence(evidence: RunEvidence): Promise<void>;
  /** Returns the error of a write that failed, if any. */
  close(): Promise<unknown>;
}

export function createRunLog(
  options: NormalizedRunOptions,
  { repository }: { readonly repository: Repository },
  secrets: SecretMask,
): RunLog {
  const { logging } = options;
  const display = createDisplay(options, secrets);
  const isShown = logging.type === 'stdout' && display !== undefined;
  let file: LogFile | undefined;
  let early = '';
  let isLineOpen = false;

  function writeOut(masked: string): void {
    if (isShown) return;
    // Terminals execute control characters, also those of a log printed by `cat`.
    const text = escapeControls(masked);
    if (logging.type === 'stdout') process.stdout.write(text);
    else if (file === undefined) early = `${early}${text}`.slice(0, options.limits.logBytes);
    else void file.write(text);
  }
  function writeText(text: string): void {
    if (text !== '') isLineOpen = !text.endsWith('\n');
    writeOut(text);
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
      const name = { branch: branch ?? 'HEAD', name: slug(options.name) };
      const path = logging.path ?? logFilePath(logsFolder(repository.commonDir), name);
      file = await openLogFile({ path, startedAt: new Date(), maxBytes: options.limits.logBytes });
      void file.write(early);
    },
    event(event) {
      display?.update(event);
      if (event.type === 'text') writeText(event.text);
      // Events name locations unmasked, so that a program can use them.
      else for (const line of describeEvent(event)) writeLine(secrets.mask(line));
    },
    ...(logging.verbose === true && {
      raw(text) {
        display?.raw(text);
        writeText(text);
      },
    }),
    async writeEvidence(evidence) {
      if (file !== undefined) {
        await writeEvidenceFile(`${file.path}.evidence.json`, maskValue(evidence, secrets));
      }
    },
    async close() {
      display?.close();
      return file?.close();
    },
  };
}

/** Creates the folder of a repository's logs, outside of every checkout. */
function logsFolder(commonDir: string): string {
  return ensureStateFolder(repositoryStateFolder(commonDir), 'logs');
}

async function writeEvidenceFile(path: string, evidence: RunEvidence): Promise<void> {
  await using file = await openChosenFile(path, 'overwrite');
  await file.writeFile(`${JSON.stringify(evidence, null, 2)}\n`);
}

function createDisplay(options: NormalizedRunOptions, mask: SecretMask): LiveDisplay | undefined {
  const { logging, name, maxCorrections, maxRounds, maxIterations } = options;
  // If stdout is a pipe or a file, its reader wants the whole log.
  const own = isLiveTerminal(process.stdout) ? process.stdout : undefined;
  const stream = logging.type === 'stdout' ? own : logging.live;
  if (stream === undefined) return undefined;
  return createLiveDisplay({
    stream,
    mask,
    name,
    maxAttempts: (maxCorrections + 1) * maxRounds,
    maxIterations,
  });
}

function notLimited(limits: readonly string[] = []): readonly string[] {
  return limits.length === 0 ? [] : [`Limits not enforced: ${limits.join(', ')}`];
}

/** A sum of dollars has an error of the binary fraction. */
function describeUsage({ inputTokens, outputTokens, costUsd }: Usage): string {
  const cost = costUsd === undefined ? '' : `, $${Number(costUsd.toFixed(6))}`;
  return `Usage: ${inputTokens} in, ${outputTokens} out${cost}`;
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
      return [`Egress: ${describeReadyEgress(event)}`, ...notLimited(event.unenforcedLimits)];
    case 'iteration-start':
      return [`Iteration ${event.iteration}${event.attempt > 1 ? ` (attempt ${event.attempt})` : ''}`];
    case 'session':
      return [`Session: ${event.sessionId}`];
    case 'tool-call':
      return [`→ ${event.name} ${cut(JSON.stringify(event.input) ?? '')}`];
    case 'tool-result':
      return [`← ${event.isError ? 'error: ' : ''}${cut(event.output)}`];
    case 'host-tool':
      return [`On the host: ${event.name}${event.isError ? ', error' : ''}, ${event.durationMs} ms`];
    case 'usage':
      return [describeUsage(event.usage)];
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
    case 'element':
    case 'thinking':
    case 'end':
    case 'raw':
      return [];
    default:
      return event satisfies never;
  }
}

/** `truecast runs continue` and `update`: a follow-up of a run, and changes of one. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { loadOutput } from '../flags/load-output.ts';
import type { OutputFlags } from '../flags/output-flags.ts';
import { parseArguments, type PromptFlags } from '../flags/read-prompt.ts';
import { connectServer, explained } from '../serve/connect-server.ts';
import { printResult, tell, type CommandTerminal, type Terminal } from '../terminal/print.ts';
import { showNewRun } from './change-commands.ts';
import { promptOf } from './create-command.ts';
import type { ShowFlags } from './show-commands.ts';
import type { WaitFlags } from './watch-run.ts';

export interface ContinueFlags extends OutputFlags, PromptFlags, WaitFlags {
  readonly fork?: true;
  readonly wait?: true;
}

const EXAMPLE = 'truecast runs continue ID "The tests fail. Fix them."';

/** Creates the run. Prints its id, or with `--wait` its answer. */
export async function continueRunCommand(
  id: string,
  word: string | undefined,
  flags: ContinueFlags,
  terminal: CommandTerminal,
): Promise<void> {
  const message = await promptOf(word, flags, terminal, EXAMPLE);
  const output = await loadOutput(flags);
  const client = await connectServer(flags);
  const run = client.runs.get(id);
  const options = { message, ...(flags.fork === true && { fork: true }) };
  const next = await explained(
    output === undefined ? run.continue(options) : run.continue({ ...options, output }),
  );
  return showNewRun(next, flags, terminal, output);
}

export interface UpdateFlags extends ShowFlags {
  readonly priority?: number;
  /** KEY=VALUE. */
  readonly metadata?: readonly string[];
}

export async function updateRunCommand(id: string, flags: UpdateFlags, terminal: Terminal): Promise<void> {
  const { priority, metadata } = flags;
  if (priority === undefined && metadata === undefined) {
    throw new UsageError('Expected a change. Pass `--priority` or `--metadata`.');
  }
  const client = await connectServer(flags);
  const changes = {
    ...(priority !== undefined && { priority }),
    ...(metadata !== undefined && { metadata: parseArguments(metadata, '--metadata') }),
  };
  const run = await explained(client.runs.get(id).patch(changes));
  if (flags.json === true) await printResult(run, terminal);
  else tell('Changed.', terminal);
}

/** `truecast runs watch`, `cancel`, `delete` and `retry`, and the output of commands that create a run. */
import type { ClientRun } from '@truecast/client/internal/runs/client-run';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { connectServer, explained } from '../serve/connect-server.ts';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import { printResult, printText, tell, type Terminal } from '../terminal/print.ts';
import type { ShowFlags } from './show-commands.ts';
import { watchRun, type WaitFlags } from './watch-run.ts';

export async function watchRunCommand(id: string, flags: WaitFlags, terminal: Terminal): Promise<void> {
  const client = await connectServer(flags);
  await watchRun(client.runs.get(id), flags, terminal);
}

export async function cancelRunCommand(id: string, flags: ShowFlags, terminal: Terminal): Promise<void> {
  const client = await connectServer(flags);
  const run = await explained(client.runs.get(id).cancel());
  if (flags.json === true) await printResult(run, terminal);
  else tell(run.status === 'canceled' ? 'Canceled.' : 'The agent is being stopped.', terminal);
}

export async function deleteRunCommand(id: string, flags: ShowFlags, terminal: Terminal): Promise<void> {
  const client = await connectServer(flags);
  await explained(client.runs.get(id).delete());
  tell('Its events and artifacts are removed. The receipt remains.', terminal);
}

export async function retryRunCommand(
  id: string,
  flags: WaitFlags & { readonly wait?: true },
  terminal: Terminal,
): Promise<void> {
  const client = await connectServer(flags);
  return showNewRun(await explained(client.runs.get(id).retry()), flags, terminal);
}

/** Prints the id of a new run, or with `--wait` its answer. */
export async function showNewRun(
  run: ClientRun<unknown>,
  flags: WaitFlags & { readonly wait?: true },
  terminal: Terminal,
  output?: AnyOutputDefinition,
): Promise<void> {
  if (flags.wait === true) {
    tell(`run ${run.id}`, terminal, 'aside');
    return watchRun(run, flags, terminal, output);
  }
  tell(`To wait for its end: ${OWN_COMMAND} runs watch ${run.id}`, terminal);
  if (flags.json === true) return printResult(await explained(run.read()), terminal);
  return printText(`${run.id}\n`, terminal);
}

/** `truecast runs logs`, `patch` and `artifact`: artifacts of agent runs, byte by byte, for another program. */
import type { ClientRun } from '@truecast/client/internal/runs/client-run';
import type { AgentRunArtifactName } from '@truecast/client/internal/wire/runs/agent-run-artifact';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { connectServer, explained, type ConnectFlags } from '../serve/connect-server.ts';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import { printResult, printText, tell, type Terminal } from '../terminal/print.ts';
import { renderTable } from '../terminal/render-table.ts';
import type { ShowFlags } from './show-commands.ts';

export interface PatchOfRunFlags extends ShowFlags {
  readonly uncommitted?: true;
}

export function logsCommand(id: string, flags: ConnectFlags, terminal: Terminal): Promise<void> {
  return printArtifact(id, { name: 'log', flags }, terminal);
}

export function patchOfRunCommand(id: string, flags: PatchOfRunFlags, terminal: Terminal): Promise<void> {
  const name = flags.uncommitted === true ? 'uncommitted.patch' : 'changes.patch';
  return printArtifact(id, { name, flags }, terminal);
}

/** Without a name, lists those that exist. */
export async function artifactCommand(
  id: string,
  name: string | undefined,
  flags: ShowFlags,
  terminal: Terminal,
): Promise<void> {
  // The server refuses a name that it does not know.
  if (name !== undefined) return printArtifact(id, { name: name as AgentRunArtifactName, flags }, terminal);
  const client = await connectServer(flags);
  const list = await explained(client.runs.get(id).artifacts());
  if (flags.json === true) return printResult(list, terminal);
  if (list.artifacts.length === 0) return tell('The run has no artifacts yet.', terminal);
  const rows = list.artifacts.map((each) => [each.name, String(each.size), String(each.omitted_bytes ?? 0)]);
  const table = renderTable([['name', 'bytes', 'left out'], ...rows], { rightAligned: [1, 2] });
  return printText(`${table}\n`, terminal);
}

interface PrintedArtifact {
  readonly name: AgentRunArtifactName;
  readonly flags: ConnectFlags;
}

async function printArtifact(
  id: string,
  { name, flags }: PrintedArtifact,
  terminal: Terminal,
): Promise<void> {
  const client = await connectServer(flags);
  const run = client.runs.get(id);
  let artifact: Blob;
  try {
    artifact = await explained(run.artifact(name));
  } catch (error) {
    await explainMissing(run, error, terminal);
    throw error;
  }
  // An agent has written it. A terminal executes control characters.
  if (terminal.stdout.isTTY === true) return printText(await artifact.text(), terminal);
  await printBytes(new Uint8Array(await artifact.arrayBuffer()), terminal);
}

/** Names the artifacts that the run has. */
async function explainMissing(run: ClientRun<unknown>, error: unknown, terminal: Terminal): Promise<void> {
  if (!ServerError.isInstance(error) || error.statusCode !== 404) return;
  const list = await run.artifacts().catch(() => undefined);
  if (list === undefined) return;
  const names = list.artifacts.map((each) => each.name).join(', ');
  tell(names === '' ? 'The run has no artifacts.' : `The run has ${names}.`, terminal);
  tell(`Its receipt and its warnings: ${OWN_COMMAND} runs show ${run.id}`, terminal, 'aside');
}

function printBytes(bytes: Uint8Array, { stdout }: Terminal): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

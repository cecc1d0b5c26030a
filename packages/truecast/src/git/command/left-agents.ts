/**
 * Agents whose host process was killed: without a sandbox they continue to work. The next run stops
 * them before it touches their worktree.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { z } from 'zod';
import { waitUntil } from '../../process/bounded-waits.ts';
import { processIdentity, type ProcessIdentity } from '../../process/process-identity.ts';
import { processIdentitySchema } from '../../process/process-identity-schema.ts';
import { groupTree, killMarked, signalGroup, type HostProcess } from '../../process/process-tree.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import type { Lock } from './lock.ts';

const MAX_BYTES = 4 * 1024;
/** Maximum wait for killed processes to die. */
const MAX_DEATH_MS = 5_000;

/** A marker is the only proof that a process belongs to an agent, so nothing shorter counts. */
const LEFT_AGENT = z.object({
  process: processIdentitySchema,
  marker: z.string().regex(/^TRUECAST_COMMAND_ID=[\da-f-]{36}$/u),
});

/** Records an agent that works under a worktree's lock. Returns the function that removes the record. */
export function recordAgent(lock: Pick<Lock, 'path'>, { pid, marker }: HostProcess): () => void {
  const path = join(folderOf(lock), `${nameOf(lock)}-${pid}.json`);
  const remove = (): void => rmSync(path, { force: true });
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.part`, JSON.stringify({ process: processIdentity(pid), marker }));
    renameSync(`${path}.part`, path);
  } catch {
    // A full disk must not end the agent.
  }
  return remove;
}

/**
 * Kills the agents that were recorded under a lock that the caller now holds. Returns true if there
 * was one.
 *
 * A process group is killed only if its leader is still the recorded process. Processes that have left
 * the group are found by their environment.
 */
export function endLeftAgents(lock: Pick<Lock, 'path'>): Promise<boolean> {
  const prefix = `${nameOf(lock)}-`;
  return endRecorded(
    folderOf(lock),
    (name) => name.startsWith(prefix) && /^\d+\.json$/u.test(name.slice(prefix.length)),
  );
}

/** Kills all agents that were recorded in a git directory of a process that is known to be dead. */
export async function endAgentsOf(commonDir: string): Promise<void> {
  await endRecorded(agentsFolder(commonDir), (name) => /-\d+\.json$/u.test(name));
}

async function endRecorded(folder: string, isWanted: (name: string) => boolean): Promise<boolean> {
  let isFound = false;
  for (const name of listFolder(folder).filter(isWanted)) {
    const path = join(folder, name);
    const text = readRegularFileSync(path, { maxBytes: MAX_BYTES })?.toString('utf8');
    const agent = LEFT_AGENT.safeParse(jsonValueOf(text ?? '')).data;
    if (agent !== undefined) isFound = (await end(agent)) || isFound;
    rmSync(path, { force: true });
  }
  return isFound;
}

async function end({ process: recorded, marker }: z.infer<typeof LEFT_AGENT>): Promise<boolean> {
  const isGroup = isStill(recorded);
  if (isGroup) signalGroup(recorded.pid, 'SIGKILL');
  // This process itself can be a descendant of an agent.
  const isOwn = marker === `TRUECAST_COMMAND_ID=${process.env['TRUECAST_COMMAND_ID']}`;
  const killed = isOwn ? 0 : killMarked(marker);
  const isGone = (): boolean =>
    (isOwn || killMarked(marker) === 0) && !(isGroup && groupTree(recorded.pid).isAlive());
  await waitUntil(isGone, MAX_DEATH_MS);
  return isGroup || killed > 0;
}

/** A process id can belong to another process by now. Its start time cannot. */
function isStill(recorded: ProcessIdentity): boolean {
  const now = processIdentity(recorded.pid);
  const keys = ['processStartTime', 'bootId', 'pidNamespace', 'host'] as const;
  return now.processStartTime !== undefined && keys.every((key) => now[key] === recorded[key]);
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No agent has worked without a sandbox here.
    return [];
  }
}

/** Beside the folder of locks, which lists only locks. */
function folderOf({ path }: Pick<Lock, 'path'>): string {
  return agentsFolder(dirname(dirname(dirname(path))));
}

function agentsFolder(commonDir: string): string {
  return join(commonDir, 'truecast', 'agents');
}

function nameOf({ path }: Pick<Lock, 'path'>): string {
  return basename(path, '.lock');
}

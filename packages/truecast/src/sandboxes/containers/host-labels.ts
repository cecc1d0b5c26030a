/**
 * Container labels that identify the host process, so that containers of dead processes can be
 * removed.
 */
import { z } from 'zod';
import { isSurelyDead, type ProcessIdentity } from '../../process/process-identity.ts';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { callEngine, removeContainer, type EngineName } from './container-engine.ts';

/** Containers of runs in one container engine. */
export interface ContainerLeftovers {
  /** Ids of containers whose runs have ended. */
  list(): Promise<readonly string[]>;
  remove(id: string): Promise<void>;
}

const labels = z.object({
  'truecast.pid': z.string(),
  'truecast.host': z.string(),
  'truecast.process-start': z.string().optional(),
  'truecast.boot': z.string().optional(),
  'truecast.pid-namespace': z.string().optional(),
});
const inspected = z.object({ Id: z.string(), Config: z.object({ Labels: labels }) });

/** Returns the labels of a container, each `name=value`. */
export function hostLabels(host: ProcessIdentity, worktreePath: string): readonly string[] {
  const values = {
    worktree: worktreePath,
    pid: String(host.pid),
    host: host.host,
    'process-start': host.processStartTime,
    boot: host.bootId,
    'pid-namespace': host.pidNamespace,
  };
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`truecast.${name}=${value}`],
  );
}

/**
 * Finds and removes containers whose host process is known to be dead. If the engine is not
 * installed or does not answer, the list is empty.
 */
export function deadContainers(engine: EngineName): ContainerLeftovers {
  return {
    async list() {
      try {
        return await listDead(engine);
      } catch (error) {
        if (SandboxError.isInstance(error) && error.code === 'unavailable') return [];
        throw error;
      }
    },
    remove: (id) => removeContainer(engine, id),
  };
}

/**
 * Removes containers of dead processes. Never fails, because other processes can do the same
 * concurrently.
 */
export async function removeDeadContainers(engine: EngineName): Promise<void> {
  const dead = deadContainers(engine);
  try {
    for (const id of await dead.list()) await dead.remove(id);
  } catch {
    // `truecast clean` reports the error.
  }
}

async function listDead(engine: EngineName): Promise<readonly string[]> {
  const args = ['ps', '--all', '--quiet', '--no-trunc', '--filter', 'label=truecast.pid'];
  const ids = (await callEngine(engine, args)).stdout.split('\n').filter((id) => id !== '');
  if (ids.length === 0) return [];
  // If a container is removed concurrently, this call fails.
  const { stdout } = await callEngine(engine, ['container', 'inspect', ...ids]);
  const containers = z.array(inspected).parse(JSON.parse(stdout));
  return containers.filter(({ Config }) => isSurelyDead(identityOf(Config.Labels))).map(({ Id }) => Id);
}

function identityOf(found: z.infer<typeof labels>): ProcessIdentity {
  return {
    pid: Number(found['truecast.pid']),
    host: found['truecast.host'],
    processStartTime: found['truecast.process-start'],
    bootId: found['truecast.boot'],
    pidNamespace: found['truecast.pid-namespace'],
  };
}

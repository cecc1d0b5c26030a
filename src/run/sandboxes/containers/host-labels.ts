/** Owns the labels by which a container says whose it is, so that one whose host process is dead can be removed. */
import { z } from 'zod';
import { isSurelyDead, type ProcessIdentity } from '../../git/process-identity.ts';
import { callEngine, type EngineName } from './container-engine.ts';

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

/** Removes containers of ours whose host process has surely ended, and returns how many there were. Never fails: others may do the same. */
export async function removeDeadContainers(engine: EngineName): Promise<number> {
  try {
    const list = await callEngine(engine, [
      'ps',
      '--all',
      '--quiet',
      '--no-trunc',
      '--filter',
      'label=truecast.pid',
    ]);
    const ids = list.stdout.split('\n').filter((id) => id !== '');
    if (ids.length === 0) return 0;
    const { stdout } = await callEngine(engine, ['container', 'inspect', ...ids]);
    const containers = z.array(inspected).parse(JSON.parse(stdout));
    const dead = containers
      .filter(({ Config }) => isSurelyDead(identityOf(Config.Labels)))
      .map(({ Id }) => Id);
    if (dead.length > 0) await callEngine(engine, ['rm', '--force', '--volumes', ...dead]);
    return dead.length;
  } catch {
    return 0;
  }
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

/** Folders of a container's HOME: creates them, and makes the guest's user their owner. */
import { callEngine, type EngineName, type EngineResult } from './container-engine.ts';
import { folderArchive, type Owner } from './folder-archive.ts';

const OWN = 'owner=$1; shift; for f; do mkdir -p "$f" && chown "$owner" "$f" || exit; done';

/**
 * Creates folders and sets their owner.
 *
 * Docker gets an archive, because under `no-new-privileges` its `exec` as root has no capabilities
 * in a container of another user, so it could not run `chown`.
 */
export async function ownContainerFolders(
  { engine, name }: { readonly engine: EngineName; readonly name: string },
  owner: Owner,
  folders: readonly string[],
  signal: AbortSignal | undefined,
): Promise<EngineResult> {
  const call = signal === undefined ? {} : { signal };
  if (engine === 'docker')
    return callEngine(engine, ['cp', '-', `${name}:/`], { ...call, input: folderArchive(folders, owner) });
  const shell = ['/bin/sh', '-c', OWN, 'sh', `${owner.uid}:${owner.gid}`, ...folders];
  return callEngine(engine, ['exec', '--user', '0:0', name, ...shell], call);
}

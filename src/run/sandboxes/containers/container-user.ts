/** Owns who a container's user is, so that what it writes belongs to the caller. */
import { callEngine, type EngineCall, type EngineName } from './container-engine.ts';
import type { ContainerOptions } from './container-options.ts';

/** Who the guest is. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  /** Value of `--userns`, where one is needed. */
  readonly userns: string | undefined;
}

/** What decides about the user. */
export type UserOptions = Pick<ContainerOptions, 'containerUid' | 'containerGid'> & {
  readonly userns?: 'keep-id' | false;
};

/** The user of the images that `truecast init` describes. */
const ORDINARY_ID = 1000;

/**
 * Returns the user of a container.
 *
 * docker:          the caller's ids are the same inside and outside; in a rootless engine, root inside is the caller outside
 * podman as root:  likewise the caller's
 * podman rootless: 1000 inside stands for the caller outside
 */
export async function containerUser(
  engine: EngineName,
  { containerUid, containerGid, userns = 'keep-id' }: UserOptions,
  call: EngineCall,
): Promise<ContainerUser> {
  const callerUid = process.getuid?.();
  const callerGid = process.getgid?.();
  if (engine === 'podman' && callerUid !== 0) {
    const uid = containerUid ?? ORDINARY_ID;
    const gid = containerGid ?? ORDINARY_ID;
    return { uid, gid, userns: userns === false ? undefined : `keep-id:uid=${uid},gid=${gid}` };
  }
  const isMapped = engine === 'docker' && containerUid === undefined && (await isRootlessDocker(call));
  return {
    uid: containerUid ?? (isMapped ? 0 : (callerUid ?? ORDINARY_ID)),
    gid: containerGid ?? (isMapped ? 0 : (callerGid ?? ORDINARY_ID)),
    userns: undefined,
  };
}

async function isRootlessDocker(call: EngineCall): Promise<boolean> {
  const { stdout } = await callEngine('docker', ['info', '--format', '{{json .SecurityOptions}}'], call);
  return stdout.includes('rootless');
}

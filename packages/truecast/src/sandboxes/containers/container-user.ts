/** Container user: the ids of the user inside. */
import type { EngineCall, EngineName } from './container-engine.ts';
import { readEngineLimits } from './container-limits.ts';
import type { ContainerOptions } from './container-options.ts';

/** Ids of the user inside. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  /** Value of `--userns`, if needed. */
  readonly userns: string | undefined;
}

/** Options that determine the user. */
export type UserOptions = Pick<ContainerOptions, 'containerUid' | 'containerGid'> & {
  readonly userns?: 'keep-id' | false;
};

/** User id in the images of `truecast init`. */
const ORDINARY_ID = 1000;

/**
 * Returns the user of a container.
 *
 * - docker: the caller's ids, which are equal inside and outside. In a rootless engine, root inside
 *   is mapped to the caller.
 * - podman as root: the caller's ids.
 * - podman rootless: 1000, which is mapped to the caller.
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
  const isMapped =
    engine === 'docker' && containerUid === undefined && (await readEngineLimits(engine, call)).isRootless;
  return {
    uid: containerUid ?? (isMapped ? 0 : (callerUid ?? ORDINARY_ID)),
    gid: containerGid ?? (isMapped ? 0 : (callerGid ?? ORDINARY_ID)),
    userns: undefined,
  };
}

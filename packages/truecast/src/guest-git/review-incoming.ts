/**
 * Review of received objects while they are still in quarantine. Nothing in the repository has
 * changed yet.
 */
import type { GitOptions } from '../git/command/git.ts';
import { refusedStream } from './receive/refused-stream.ts';
import { inflatedBytes } from './receive/inflated-size.ts';

/** Received work of a guest, before any reference moves. */
export interface Incoming {
  readonly commonDir: string;
  readonly worktreePath: string;
  /** Options of git calls with access to the received objects. */
  readonly call: GitOptions;
  /** The quarantine folder. */
  readonly objectFolder: string;
  /** The run's branch before the guest. */
  readonly baseSha: string;
  /** The guest's tip of the run's branch. Undefined if the guest did not move it. */
  readonly tipSha: string | undefined;
  /** Tree of the guest's index. */
  readonly indexTree: string | undefined;
  /** All other commits that will be kept. */
  readonly otherTips: readonly string[];
  readonly maxInflatedBytes: number;
}

/**
 * Reviews received objects, and rejects all of them if one is dangerous. Every object is already
 * valid and complete.
 *
 * @throws SandboxError `sync`: no reference moves, and the guest's store is kept
 */
export async function reviewIncoming(incoming: Incoming): Promise<void> {
  const { call, objectFolder, maxInflatedBytes } = incoming;
  const bytes = await inflatedBytes(call, objectFolder, maxInflatedBytes);
  if (bytes > maxInflatedBytes)
    throw refusedStream(
      `its objects have ${bytes} bytes when inflated, more than the limit of ${maxInflatedBytes}`,
    );
}

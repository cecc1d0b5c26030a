/**
 * Git commands of a hand-over that wait for their input, so that they can start while the agent
 * works. Without input they change nothing.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GitOptions, GitResult } from '../git/command/git.ts';
import { gitGroup, type GroupedGit } from '../git/command/git-group.ts';
import type { TipRead } from '../git/command/tip-read.ts';
import { removeTree } from '../process/temporary-folder.ts';
import { connectivityArgs } from './admit-objects.ts';
import { PLAN_ARGS, PLAN_CONFIG } from './apply-index.ts';
import { MOVE_ARGS } from './move-references.ts';
import type { FedGit } from './receive/feed-git.ts';
import { UNPACK_CONFIG } from './receive/feed-git.ts';
import { incomingCall } from './receive/incoming-call.ts';
import { unpackArgs, type SinkLimits } from './receive/stream-sink.ts';
import { incomingFolder, type GuestStore } from './store/guest-store.ts';

export interface HandOverCommands extends AsyncDisposable {
  /** Starts all commands in the empty quarantine, if they have not started. */
  start(): Promise<void>;
  /** Unpacks a small pack in quarantine. */
  readonly unpacking: FedGit;
  /** Checks that all objects reachable from the tips in its input exist. */
  readonly connectivity: GroupedGit;
  /** Compares the index with the tree in its input. */
  readonly comparison: GroupedGit;
  /** Moves the references in its input. */
  readonly move: GroupedGit;
  /** Reads of a new tip, while its objects are in quarantine. */
  readTip(tip: string): Promise<readonly GitResult[]>;
}

export interface HandOverCommandsOptions
  extends Pick<SinkLimits, 'maxPackBytes'>, Pick<GitOptions, 'signal'> {
  /** Options of git calls in the run's worktree. */
  readonly call: GitOptions;
  /** Reads of a new tip. At most three. */
  readonly tipReads?: readonly TipRead[] | undefined;
  readonly timeoutMs: number;
}

/** Creates the commands. Nothing is started yet. */
export function handOverCommands(
  store: GuestStore,
  { maxPackBytes, signal, call, timeoutMs, tipReads = [] }: HandOverCommandsOptions,
): HandOverCommands {
  const incoming = incomingCall(store, { signal, timeoutMs });
  const group = gitGroup(store.folder, [
    { name: 'unpack', args: unpackArgs(maxPackBytes), options: { ...incoming, config: UNPACK_CONFIG } },
    { name: 'check', args: connectivityArgs(store), options: incoming },
    ...tipReads.map(({ args }, index) => ({
      name: `read${index}`,
      args,
      options: incoming,
      hasOutput: true,
      takesArgument: true,
    })),
    {
      name: 'compare',
      args: PLAN_ARGS,
      options: { ...call, objects: incoming.objects, config: PLAN_CONFIG },
      hasOutput: true,
      takesArgument: true,
    },
    { name: 'move', args: MOVE_ARGS, options: call },
  ]);
  const unpack = group.call('unpack');
  let starting: Promise<void> | undefined;
  const startAll = async (): Promise<void> => {
    const folder = incomingFolder(store);
    await removeTree(folder);
    mkdirSync(join(folder, 'pack'), { recursive: true });
    group.start();
  };
  return {
    start: () => (starting ??= startAll()),
    unpacking: {
      write: (data) => unpack.write(data),
      async end() {
        const { exitCode, stderr } = await unpack.run('');
        return exitCode === 0 ? undefined : stderr || 'git failed';
      },
      kill: () => unpack.abandon(),
    },
    connectivity: group.call('check'),
    comparison: group.call('compare'),
    move: group.call('move'),
    readTip: (tip) =>
      Promise.all(
        tipReads.map(({ input = '' }, index) => group.call(`read${index}`).run(`${tip}\n${input}`)),
      ),
    async [Symbol.asyncDispose]() {
      await starting?.catch(() => undefined);
      await group[Symbol.asyncDispose]();
    },
  };
}

/** RunCheckpoints of an execution as notes: what the next worker needs, also on another machine. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import { decideEgress } from 'truecast/internal/run/options/decide-egress';
import type { RunCheckpoint } from 'truecast/internal/run/events/run-checkpoint';
import { openExecutionStore } from 'truecast/internal/run/executions/execution-store';
import { toReceiptUsage } from '../../contract/receipt.ts';
import type { RunNote, RunReport } from '../../runs/agent-executor.ts';
import type { RunBlob } from '../../runs/run-blob.ts';
import { placeOf, toSessionBlob, toStateBlob } from './stored-work.ts';
import { tipOf, type TakeoverParts } from './take-over.ts';

export interface RunCheckpoints {
  /** Returns the listener that stores each checkpoint. */
  storeIn(target: CheckpointTarget): (checkpoint: RunCheckpoint) => Promise<void>;
  /** The state after the agent was stopped. */
  last(): Promise<RunNote>;
}

interface CheckpointTarget {
  readonly report: Pick<RunReport, 'note'>;
  /** Gets the commit before the first agent. */
  readonly seen: { baseSha: string | undefined };
  readonly signal: AbortSignal;
  /** Aborted if a checkpoint is refused. */
  readonly stop: AbortController;
}

const RETRY_MS = 1_000;
const PHASES = {
  started: 'working',
  session: undefined,
  turn: undefined,
  answered: 'answered',
  landed: 'settled',
} as const;

export function openCheckpoints(
  place: TakeoverParts,
  id: string,
  earlierBranches: readonly string[],
): RunCheckpoints {
  const isContained = isContainedIn(place);
  const stateNote = async (hasSession: boolean): Promise<RunNote> => {
    const record = openExecutionStore(place.stateFolder, id).read();
    if (record === undefined) return {};
    const work = { place: placeOf(place.stateFolder), sandbox: place.sandbox.name, isContained };
    const headSha = record.branch === undefined ? undefined : await tipOf(place, record.branch);
    const session = hasSession ? await toSessionBlob(place.agent, record.sessionId) : undefined;
    const blobs: RunBlob[] = [toStateBlob({ ...work, earlierBranches, record })];
    if (session !== undefined) blobs.push(session);
    return {
      blobs,
      ...(headSha !== undefined && { headSha }),
      ...(record.branch !== undefined && { branch: record.branch }),
    };
  };
  const toNote = async ({ type, commitsSince, sessionId, usage }: RunCheckpoint): Promise<RunNote> => {
    const phase = PHASES[type];
    return {
      ...(await stateNote(type === 'session' || type === 'turn')),
      ...(phase !== undefined && { phase }),
      ...(commitsSince !== undefined && { baseSha: commitsSince }),
      ...(sessionId !== undefined && { sessionId }),
      ...(usage !== undefined && { usage: toReceiptUsage(usage) }),
    };
  };
  return {
    storeIn: (target) => async (checkpoint) => {
      target.seen.baseSha = checkpoint.commitsSince;
      const note = await toNote(checkpoint);
      const storing = noted(target, note, checkpoint.type).catch((error: unknown) =>
        target.stop.abort(error),
      );
      if (!JOINED.includes(checkpoint.type)) await storing;
    },
    last: () => stateNote(true),
  };
}

/** An answer mostly follows its turn at once, and the end of the run its landing. They share a transaction. */
const JOINED: readonly RunCheckpoint['type'][] = ['turn', 'landed'];

/**
 * Stores a checkpoint. No agent starts before the row has it, so the first one waits for the database. Later
 * work goes on without it.
 */
async function noted(
  { report, signal }: CheckpointTarget,
  note: RunNote,
  type: RunCheckpoint['type'],
): Promise<void> {
  for (;;) {
    try {
      return await report.note(note, { isJoined: JOINED.includes(type) });
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      if (type !== 'started') return undefined;
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
}

/** True if the agent can have changed nothing outside of its worktree. */
function isContainedIn({ agent, sandbox }: { agent: AgentProvider; sandbox: SandboxProvider }): boolean {
  if (sandbox.tag !== 'bind-mount') return false;
  try {
    const egress = sandbox.egress ?? decideEgress([agent], sandbox, process.env).egress;
    return egress === 'none' || egress === 'model';
  } catch {
    return false;
  }
}

/** RunCheckpoints of an execution as notes: what the next worker needs, also on another machine. */
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import { decideEgress } from 'truecast/internal/run/options/decide-egress';
import type { RunCheckpoint } from 'truecast/internal/run/events/run-checkpoint';
import { openExecutionStore } from 'truecast/internal/run/executions/execution-store';
import { toReceiptUsage } from '../../contract/receipt.ts';
import type { RunNote } from '../../runs/agent-executor.ts';
import type { RunBlob } from '../../runs/run-blob.ts';
import { placeOf, toSessionBlob, toStateBlob } from './stored-work.ts';
import { tipOf, type TakeoverParts } from './take-over.ts';

export interface RunCheckpoints {
  toNote(checkpoint: RunCheckpoint): Promise<RunNote>;
  /** The state after the agent was stopped. */
  last(): Promise<RunNote>;
}

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
  return {
    async toNote({ type, commitsSince, sessionId, usage }) {
      const phase = PHASES[type];
      return {
        ...(await stateNote(type === 'session' || type === 'turn')),
        ...(phase !== undefined && { phase }),
        ...(commitsSince !== undefined && { baseSha: commitsSince }),
        ...(sessionId !== undefined && { sessionId }),
        ...(usage !== undefined && { usage: toReceiptUsage(usage) }),
      };
    },
    last: () => stateNote(true),
  };
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

/** Changes of an owner's stream: chats, receipts and runs, each with its event and its version. */
import type { OwnerStreamEvent } from '@truecast/client/internal/wire/stream/owner-stream';
import { changedAt, changedEnsembleRuns } from '../../ledger/changed-runs.ts';
import type { OwnerChanges } from '../../state/lists/owner-changes.ts';
import type { ChangedRunsQuery } from '../../runs/state/run-reads.ts';
import { toAgentRunView, waitsOf } from '../agent-run-views.ts';
import type { ServerParts } from '../server-parts.ts';
import { toChatSummary, toRequestView } from '../views.ts';

/** One change. A higher version of a key replaces a lower one. */
export interface FeedChange {
  readonly key: string;
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly event: OwnerStreamEvent;
  /** A change without another state is not sent. @default each higher version is sent */
  readonly state?: string;
}

export interface FeedChanges {
  readonly changes: readonly FeedChange[];
  /** True if older changes might be missing. */
  readonly isCut: boolean;
}

export function toChanges({ chats, deleted, requests, isCut }: OwnerChanges): FeedChanges {
  return {
    changes: [
      ...chats.map((chat): FeedChange => ({
        key: chat.id,
        version: chat.version,
        atMs: chat.updatedAt,
        event: { type: 'chat', chat: toChatSummary(chat) },
      })),
      ...deleted.map(({ id, version, at }): FeedChange => ({
        key: id,
        version,
        atMs: at,
        event: { type: 'chat_deleted', chat_id: id },
      })),
      ...requests.map((request): FeedChange => {
        const { requestId, revision, createdAt, startedAt = createdAt, endedAt = startedAt } = request;
        const event: OwnerStreamEvent = { type: 'receipt', receipt: toRequestView(request) };
        return { key: requestId, version: revision, atMs: endedAt, event };
      }),
    ],
    isCut,
  };
}

/** Reads the ensemble runs that changed since a time. */
export async function ledgerChanges({ store }: ServerParts, sinceMs: number): Promise<FeedChanges> {
  const { runs, isCut } = await changedEnsembleRuns(store.db, sinceMs);
  return {
    changes: runs.map((run) => ({
      key: `ensemble ${run.run_id}`,
      version: run.ended_at === undefined ? 0 : 1,
      atMs: Date.parse(changedAt(run)),
      event: { type: 'ensemble_run', run },
    })),
    isCut,
  };
}

/** Reads the durable runs of an owner that changed. */
export async function agentRunChanges(
  { agentRuns }: ServerParts,
  query: ChangedRunsQuery,
): Promise<FeedChanges> {
  const runs = await agentRuns.changedRuns(query);
  if (runs === undefined) return { changes: [], isCut: true };
  const waitOf = await waitsOf(agentRuns, runs);
  return {
    changes: runs.map((run) => {
      const { id, version, status, phase, executions, createdAt, startedAt = createdAt } = run;
      const event: OwnerStreamEvent = { type: 'agent_run', run: toAgentRunView(run, waitOf(run)) };
      const state = [status, phase, executions].join(' ');
      return { key: `agent run ${id}`, version, atMs: run.endedAt ?? startedAt, event, state };
    }),
    isCut: false,
  };
}

/** Reads the runs of coding agents that were kept since a time. */
export async function runChanges({ runs }: ServerParts, sinceMs: number): Promise<FeedChanges> {
  const changed = (await runs?.changes(sinceMs)) ?? [];
  return {
    changes: changed.map(({ atMs, run }) => ({
      key: `run ${run.id}`,
      version: atMs,
      atMs,
      event: { type: 'run', run },
    })),
    isCut: false,
  };
}

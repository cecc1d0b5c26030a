/**
 * State of a run that its worker stores in the database at each checkpoint, so that another machine can continue:
 * the record of `run({ id })`, and the agent's session.
 */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { z } from 'zod';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { createSecretMask } from '@truecast/host/internal/masking/secret-mask';
import { processSecrets } from '@truecast/host/internal/masking/secret-values';
import { exportSession } from 'truecast/internal/agents/sessions/moved-session';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import {
  executionRecordSchema,
  type ExecutionRecord,
} from 'truecast/internal/run/executions/execution-record';
import { SESSION_BLOB, type RunBlob } from '../../runs/run-blob.ts';

/** Name of the blob. Clients cannot read it, as they read artifacts. */
export const STATE_BLOB = '.state';

export interface StoredWork {
  /** The machine and the folder of the last execution. */
  readonly place: string;
  /** Name of the sandbox. */
  readonly sandbox: string;
  /** True if the egress of the agent was `none` or `model`. */
  readonly isContained: boolean;
  /** Branches of the run on which earlier agents worked. */
  readonly earlierBranches: readonly string[];
  readonly record: ExecutionRecord;
}

const storedWork: z.ZodType<StoredWork> = z.object({
  place: z.string(),
  sandbox: z.string(),
  isContained: z.boolean(),
  earlierBranches: z.array(z.string()),
  record: executionRecordSchema,
});

/** Returns an identifier of this machine and of its state folder. */
export function placeOf(stateFolder: string): string {
  return createHash('sha256').update(`${hostname()}\n${stateFolder}`).digest('hex').slice(0, 32);
}

export function toStateBlob(work: StoredWork): RunBlob {
  const bytes = Buffer.from(JSON.stringify(work));
  return { name: STATE_BLOB, mediaType: 'application/json', bytes };
}

/** Undefined for no blob, and for one of another version. */
export function readStateBlob(blob: RunBlob | undefined): StoredWork | undefined {
  if (blob === undefined) return undefined;
  const parsed = parseJson(Buffer.from(blob.bytes).toString('utf8'));
  return parsed.success ? storedWork.safeParse(parsed.value).data : undefined;
}

/** Returns the session as it is on this host, with its secrets masked. Undefined without one. */
export async function toSessionBlob(
  { sessionStorage }: Pick<AgentProvider, 'sessionStorage'>,
  sessionId: string | undefined,
): Promise<RunBlob | undefined> {
  if (sessionId === undefined) return undefined;
  const session = await exportSession(sessionStorage, sessionId).catch(() => undefined);
  if (session === undefined) return undefined;
  const { source, text } = session;
  return { name: SESSION_BLOB, mediaType: 'application/jsonl', source, bytes: Buffer.from(masked(text)) };
}

/** Masks the secrets of this process. The mask of the run has the others already. */
function masked(text: string): string {
  return createSecretMask(processSecrets()).mask(text);
}

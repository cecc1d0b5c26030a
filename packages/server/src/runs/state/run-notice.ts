/** Notification of a changed run: its id, its state and its owner. A hint that can be lost. */
import { z } from 'zod';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type { AgentRunRow } from '@truecast/store/internal/tables/agent-runs';

const notice = z.tuple([z.string(), z.string(), z.string(), z.string()]);

/** A changed run. */
export interface RunNotice {
  readonly id: string;
  readonly status: string;
  readonly owner: string;
  /** Empty without one. */
  readonly phase: string;
}

export function encodeRunNotice({
  id,
  status,
  owner,
  phase,
}: Pick<AgentRunRow, 'id' | 'status' | 'owner' | 'phase'>): string {
  return JSON.stringify([id, status, owner, phase ?? '']);
}

/** Undefined if any run can have changed. */
export function readRunNotice(payload: string | undefined): RunNotice | undefined {
  if (payload === undefined) return undefined;
  const parsed = parseJson(payload);
  const read = notice.safeParse(parsed.success ? parsed.value : undefined);
  if (!read.success) return undefined;
  const [id, status, owner, phase] = read.data;
  return { id, status, owner, phase };
}

/** Notification of a changed run: its id and status. A hint that can be lost. */
import { z } from 'zod';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import type { AgentRunRow } from '@truecast/store/internal/tables/agent-runs';

const notice = z.tuple([z.string(), z.string()]);

/** A changed run. */
export interface RunNotice {
  readonly id: string;
  readonly status: string;
}

export function encodeRunNotice({ id, status }: Pick<AgentRunRow, 'id' | 'status'>): string {
  return JSON.stringify([id, status]);
}

/** Undefined if any run can have changed. */
export function readRunNotice(payload: string | undefined): RunNotice | undefined {
  if (payload === undefined) return undefined;
  const parsed = parseJson(payload);
  const read = notice.safeParse(parsed.success ? parsed.value : undefined);
  return read.success ? { id: read.data[0], status: read.data[1] } : undefined;
}

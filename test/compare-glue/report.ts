/** Report of the comparison, stored in `report.json`. */
import { join } from 'node:path';
import type { Verdict } from './judge.ts';

export const SIDES = ['ours', 'glue'] as const;
export type Side = (typeof SIDES)[number];

/** One play of one job. */
export interface PlayRow {
  readonly side: Side;
  readonly job: number;
  /** `none`, or the id of the fault. */
  readonly fault: string;
  readonly verdict: Verdict | 'no-program';
  readonly detail: string;
}

export interface Report {
  /** Lines of each program. Job 0 is the file that the programs of a side share. */
  readonly lines: readonly { readonly side: Side; readonly job: number; readonly lines: number }[];
  readonly plays: readonly PlayRow[];
}

export const reportPath = join(import.meta.dirname, 'report.json');

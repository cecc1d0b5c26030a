/** Periods of quotas: calendar days or months, in UTC. */
import type { QuotaSettings } from '../../contract/quotas.ts';

/** A period, and the time of the next one in milliseconds since 1970. */
export interface QuotaPeriod {
  readonly key: string;
  readonly resetsAt: number;
}

/** Returns the period of a time. */
export function quotaPeriod({ period = 'day' }: QuotaSettings, nowMs: number): QuotaPeriod {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  if (period === 'month') return { key: now.toISOString().slice(0, 7), resetsAt: Date.UTC(year, month + 1) };
  return {
    key: now.toISOString().slice(0, 10),
    resetsAt: Date.UTC(year, month, now.getUTCDate() + 1),
  };
}

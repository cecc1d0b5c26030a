/** Names of the buckets of a report, in UTC. Pure. */
import type { QualityView } from '@truecast/client/internal/wire/quality';

export const BUCKET_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const HOUR = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
  timeZone: 'UTC',
});

/** `Nov 22`, or with the hour for a bucket of an hour. */
export function dateText(start: string, bucket: QualityView['bucket']): string {
  return bucket === 'hour' ? `${HOUR.format(new Date(start))} UTC` : DAY.format(new Date(start));
}

/** Times from `since` to `until`, in ISO 8601. `until` is exclusive. */
export interface ChartRange {
  readonly since: string;
  readonly until: string;
}

/** A time that the server reads. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/u;

/** Returns true for two times in UTC, the earlier one first. */
export function isRange({ since, until }: ChartRange): boolean {
  return [since, until].every((time) => ISO.test(time)) && Date.parse(since) < Date.parse(until);
}

/** Describes a range. A text that is not a time is returned unchanged. */
export function rangeText({ since, until }: ChartRange): string {
  const [from, to] = [since, until].map((time) => new Date(time));
  if (from === undefined || to === undefined || Number.isNaN(from.getTime() + to.getTime())) {
    return `${since} to ${until}`;
  }
  const isDays = [from, to].every((time) => time.getTime() % BUCKET_MS.day === 0);
  if (!isDays) return `${HOUR.format(from)} to ${HOUR.format(to)} UTC`;
  const last = new Date(to.getTime() - BUCKET_MS.day);
  return from.getTime() === last.getTime() ? DAY.format(from) : `${DAY.format(from)} to ${DAY.format(last)}`;
}

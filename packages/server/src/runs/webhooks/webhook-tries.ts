/** Schedule of the tries of a webhook, and the meaning of an answer. Pure. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits before each further try. */
const WAITS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
];

/** Result of one try: the status of the answer, or why no answer came. */
export type WebhookAnswer = { readonly status: number } | { readonly error: string };

/** State of a delivery. `gone`: the receiver refused all further ones. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'gone';

/** Returns the state after a try, with the wait before the next one while it is pending. */
export function afterTry(
  answer: WebhookAnswer,
  tries: number,
): { readonly status: DeliveryStatus; readonly waitMs?: number } {
  const status = 'status' in answer ? answer.status : 0;
  if (status >= 200 && status < 300) return { status: 'delivered' };
  if (status === 410) return { status: 'gone' };
  const waitMs = WAITS[tries - 1];
  return waitMs === undefined ? { status: 'failed' } : { status: 'pending', waitMs };
}

/** Events of an agent run as stored, and their limits. Pure. */
import type { AgentRunEvent } from '@truecast/client/internal/wire/runs/agent-run-event';

type Untimed<T> = T extends unknown ? Omit<T, 'at'> : never;

/** Events of the executor. The server writes those of its own transitions. */
export type NewRunEvent = Untimed<
  Exclude<AgentRunEvent, { readonly type: 'status' | 'execution' | 'receipt' }>
>;

/** An event without its time. The receipt is read from the run. */
export type StoredRunEvent =
  | Untimed<Exclude<AgentRunEvent, { readonly type: 'receipt' }>>
  | { readonly type: 'receipt' };

/** Limits of the events of one run. */
export const EVENT_LIMITS: EventSize = { count: 10_000, bytes: 8 * 1024 * 1024 };

/** Size of the stored events. */
export interface EventSize {
  readonly count: number;
  readonly bytes: number;
}

/**
 * Returns the events to store, as JSON, and their size together with `size`. Over a limit, the text and the
 * calls of the agent are left out, which one warning says. Over twice a limit, so is all that an agent can
 * repeat, such as commits and sessions.
 */
export function boundEvents(
  size: EventSize,
  events: readonly StoredRunEvent[],
  at: string,
): { readonly kept: readonly string[]; readonly size: EventSize } {
  const kept: string[] = [];
  let { count, bytes } = size;
  const keep = (event: StoredRunEvent): void => {
    const text = JSON.stringify({ ...event, at });
    kept.push(text);
    count += 1;
    bytes += Buffer.byteLength(text);
  };
  for (const event of events) {
    const isFull = count >= EVENT_LIMITS.count || bytes >= EVENT_LIMITS.bytes;
    if (isFull && (event.type === 'text' || event.type === 'tool_call')) continue;
    const isOver = count >= 2 * EVENT_LIMITS.count || bytes >= 2 * EVENT_LIMITS.bytes;
    if (isOver && !OWN_TYPES.includes(event.type)) continue;
    keep(event);
    const isNowFull = count >= EVENT_LIMITS.count || bytes >= EVENT_LIMITS.bytes;
    if (!isFull && isNowFull) keep({ type: 'warning', message: FULL });
  }
  return { kept, size: { count, bytes } };
}

/** Events of the server's own transitions. Their number has its own limits. */
const OWN_TYPES: readonly StoredRunEvent['type'][] = ['status', 'execution', 'receipt'];

const FULL =
  'The run has reached the limit of its events. Later text and calls of tools are left out; read its log.';

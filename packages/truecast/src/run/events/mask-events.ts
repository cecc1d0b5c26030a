/** Masking of a run's events. Text that arrives in pieces is masked across the pieces. */
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import type { LifecycleEvent } from './run-events.ts';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';

type Event = AgentEvent | LifecycleEvent;

/** Events that do not interrupt a text, because they are not part of the agent's message. */
const BETWEEN_PIECES: ReadonlySet<Event['type']> = new Set([
  'raw',
  'usage',
  'warning',
  'session',
  'dropped',
  'host-tool',
  'element',
]);

/**
 * Creates a function that returns the masked events for an event: none while a piece is held back,
 * or several.
 */
export function createEventMask(mask: SecretMask): (event: Event) => readonly Event[] {
  const streams = { text: mask.stream(), thinking: mask.stream() };
  const pieces = (type: 'text' | 'thinking', text: string): readonly Event[] =>
    text === '' ? [] : [{ type, text }];
  const flush = (): readonly Event[] => [
    ...pieces('thinking', streams.thinking.end()),
    ...pieces('text', streams.text.end()),
  ];
  return (event) => {
    if (event.type === 'text' || event.type === 'thinking') {
      return pieces(event.type, streams[event.type].push(event.text));
    }
    const held = BETWEEN_PIECES.has(event.type) ? [] : flush();
    return [...held, maskEvent(event, mask)];
  };
}

function maskEvent(event: Event, mask: SecretMask): Event {
  switch (event.type) {
    // Locations of the work: a masked path or id would be useless.
    case 'run-start':
    case 'session':
    case 'commits':
      return event;
    case 'run-end': {
      const { commits, branch, preservedWorktreePath, sessionId, sessionFilePath, logFilePath, ...rest } =
        event.evidence;
      const places = { commits, branch, preservedWorktreePath, sessionId, sessionFilePath, logFilePath };
      const known = Object.fromEntries(Object.entries(places).filter(([, value]) => value !== undefined));
      const error = maskReason(event.error, mask);
      return {
        ...event,
        evidence: { commits, ...maskValue(rest, mask), ...known },
        ...(error !== undefined && { error }),
      };
    }
    case 'raw':
      return event;
    default:
      return { ...maskValue(event, mask), type: event.type } as Event;
  }
}

/**
 * The error was masked where it was caught, unless it is the caller's own reason of an abort. That
 * one is not changed, so a reason with a secret is replaced.
 */
function maskReason(error: unknown, mask: SecretMask): unknown {
  if (!TruecastError.isInstance(error)) return maskValue(error, mask);
  const message = mask.mask(error.message);
  return message === error.message ? error : new DOMException(message, error.name);
}

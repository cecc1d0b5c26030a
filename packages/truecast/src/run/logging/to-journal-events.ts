/** Journal lines of a run's events, without the events that no reader needs. Pure. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { mainArgument } from '../../agents/stream/line-view.ts';
import type { RunEvent } from '../events/run-events.ts';
import { brokenRules } from '../record/broken-rules.ts';
import type { JournalEvent } from '../record/journal-event.ts';

type Content = Omit<JournalEvent, 'at' | 'iteration'>;

/** Longer arguments, results and messages are cut. */
const MAX_CHARS = 2_000;

/** Returns the lines for an event. Reasoning, raw output and usage have none. */
export function toJournalEvents(event: RunEvent): readonly JournalEvent[] {
  const { timestamp, iteration } = event;
  const at = timestamp.toISOString();
  return contentsOf(event).map((content) => ({ ...content, at, iteration }));
}

function contentsOf(event: RunEvent): readonly Content[] {
  switch (event.type) {
    case 'run-start':
      return [{ type: 'start', name: event.branch, text: `${event.agent} in ${event.sandbox}` }];
    case 'sandbox-ready':
      return [{ type: 'sandbox', text: event.egress }];
    case 'iteration-start':
      return [{ type: 'iteration', name: String(event.attempt) }];
    case 'session':
      return [{ type: 'session', name: event.sessionId }];
    case 'text':
      return [{ type: 'text', text: event.text }];
    case 'tool-call':
      return [{ type: 'tool_call', name: event.name, text: cut(mainArgument(event.input), MAX_CHARS) }];
    case 'tool-result':
      return [
        {
          type: 'tool_result',
          text: cut(event.output, MAX_CHARS),
          ...(event.isError && { isError: true as const }),
        },
      ];
    case 'host-tool': {
      const { name, durationMs, isError } = event;
      return [
        { type: 'host_tool', name, text: `${durationMs} ms`, ...(isError && { isError: true as const }) },
      ];
    }
    case 'attempt-end':
      return [
        {
          type: 'attempt',
          name: event.code,
          text: cut(event.message, MAX_CHARS),
          ...(event.issues !== undefined && { issues: brokenRules(event.issues) }),
        },
      ];
    case 'commits':
      return event.commits.map(({ sha }) => ({ type: 'commit', name: sha }));
    case 'warning':
    case 'error':
      return [{ type: event.type, text: cut(event.message, MAX_CHARS) }];
    case 'element':
    case 'thinking':
    case 'usage':
    case 'raw':
    case 'dropped':
    case 'end':
    case 'run-end':
      return [];
    default:
      return event satisfies never;
  }
}

/** Lines of a terminal for the events of an agent run. */
import type { AgentRunEvent } from '@truecast/client/internal/wire/runs/agent-run-event';
import type { Meaning } from '../terminal/print.ts';

interface Line {
  readonly text: string;
  readonly meaning?: Meaning;
}

const SHORT_SHA = 9;

/** Creates a function that converts events to lines. Text is kept until its line is complete. */
export function createEventLines(): (event: AgentRunEvent) => readonly Line[] {
  let open = '';
  return (event) => {
    if (event.type === 'text') {
      const [last = '', ...complete] = `${open}${event.text}`.split('\n').toReversed();
      open = last;
      return complete.toReversed().map((text) => ({ text }));
    }
    const rest = open === '' ? [] : [{ text: open }];
    open = '';
    return [...rest, ...lineOf(event)];
  };
}

function lineOf(event: Exclude<AgentRunEvent, { readonly type: 'text' }>): readonly Line[] {
  switch (event.type) {
    case 'status':
      return [
        {
          text: `status: ${event.status}${event.phase === undefined ? '' : `, ${event.phase}`}`,
          meaning: 'aside',
        },
      ];
    case 'execution':
      return [{ text: `execution ${event.number} at ${event.worker}`, meaning: 'aside' }];
    case 'tool_call':
      return [
        { text: `${event.name}${event.title === undefined ? '' : ` ${event.title}`}`, meaning: 'aside' },
      ];
    case 'attempt': {
      const { code, message } = event.attempt;
      return code === 'ok' ? [] : [{ text: `attempt ${event.number}: ${message}`, meaning: 'warning' }];
    }
    case 'commit':
      return [{ text: `commit ${event.sha.slice(0, SHORT_SHA)}`, meaning: 'aside' }];
    case 'warning':
      return [{ text: `warning: ${event.message}`, meaning: 'warning' }];
    default:
      // The session, the usage and the receipt are in `truecast runs show`.
      return [];
  }
}

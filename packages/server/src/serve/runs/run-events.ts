/** Events of an agent run from those of `run()`, which masks their secrets. Pure. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { mainArgument } from 'truecast/internal/agents/stream/line-view';
import type { RunEvent } from 'truecast/internal/run/events/run-events';
import { brokenRules } from 'truecast/internal/run/record/broken-rules';
import type { NewRunEvent } from '../../runs/run-event.ts';
import { toSnakeCase } from './run-failure.ts';

const MAX_TITLE = 200;

/** Returns the events to store for one event of the run. */
export function toWorkEvents(event: RunEvent): readonly NewRunEvent[] {
  switch (event.type) {
    case 'session':
      return [{ type: 'session', session_id: event.sessionId }];
    case 'text':
      return [{ type: 'text', text: event.text }];
    case 'tool-call': {
      const title = cut(mainArgument(event.input), MAX_TITLE);
      return [{ type: 'tool_call', name: cut(event.name, MAX_TITLE), ...(title !== '' && { title }) }];
    }
    case 'attempt-end': {
      const { attempt: number, code, message, issues } = event;
      const attempt = { code: toSnakeCase(code), message };
      return [
        { type: 'attempt', number, attempt, ...(issues !== undefined && { issues: brokenRules(issues) }) },
      ];
    }
    case 'commits':
      return event.commits.map(({ sha }) => ({ type: 'commit', sha }));
    case 'warning':
      return [{ type: 'warning', message: event.message }];
    default:
      return [];
  }
}

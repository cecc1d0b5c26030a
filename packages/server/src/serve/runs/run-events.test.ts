/** Events of agent runs from those of `run()`. */
import { expect, it } from 'vitest';
import type { RunEvent } from 'truecast/internal/run/events/run-events';
import { toWorkEvents } from './run-events.ts';

const place = { timestamp: new Date(0), iteration: 1 };

it.each<[RunEvent, readonly object[]]>([
  [{ type: 'session', sessionId: 's1', ...place }, [{ type: 'session', session_id: 's1' }]],
  [{ type: 'text', text: 'Hi', ...place }, [{ type: 'text', text: 'Hi' }]],
  [
    { type: 'tool-call', name: 'Bash', input: { command: `npm test ${'x'.repeat(300)}` }, ...place },
    [{ type: 'tool_call', name: 'Bash', title: expect.stringMatching(/^npm test x+…$/u) as string }],
  ],
  [
    { type: 'attempt-end', attempt: 2, code: 'tag-not-found', message: 'No tag.', ...place },
    [{ type: 'attempt', number: 2, attempt: { code: 'tag_not_found', message: 'No tag.' } }],
  ],
  [
    {
      type: 'attempt-end',
      attempt: 1,
      code: 'schema-mismatch',
      message: 'Wrong.',
      issues: [{ path: ['line'], message: 'Expected integer' }],
      ...place,
    },
    [
      {
        type: 'attempt',
        number: 1,
        attempt: { code: 'schema_mismatch', message: 'Wrong.' },
        issues: [{ path: '/line', rule: 'Expected integer' }],
      },
    ],
  ],
  [
    { type: 'commits', commits: [{ sha: 'a' }, { sha: 'b' }], ...place },
    [
      { type: 'commit', sha: 'a' },
      { type: 'commit', sha: 'b' },
    ],
  ],
  [{ type: 'warning', message: 'Careful.', ...place }, [{ type: 'warning', message: 'Careful.' }]],
  [{ type: 'raw', text: 'x', ...place }, []],
])('%j', (event, expected) => {
  expect(toWorkEvents(event)).toEqual(expected);
});

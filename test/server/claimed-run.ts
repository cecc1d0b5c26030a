/** Claims of agent runs for tests of an executor, and reports that are kept. */
import type { ClaimedRun, RunNote, RunReport } from '../../packages/server/src/runs/agent-executor.ts';
import type { NewRunEvent } from '../../packages/server/src/runs/run-event.ts';

const response_format = {
  type: 'json_schema',
  json_schema: {
    name: 'answer',
    schema: { type: 'object', properties: { answer: { type: 'integer' } }, required: ['answer'] },
  },
} as const;

/** Returns the claim of a run of the repository `web`. */
export function claimRun(changes: Partial<ClaimedRun> = {}): ClaimedRun {
  const request = { repository: 'web', agent: 'claude-code', prompt: 'Count.', response_format };
  const fixed = { id: 'run-1', owner: 'anna', execution: 1, branch: 'truecast/runs/run-1' };
  return { ...fixed, request, elapsedMs: 0, ...changes };
}

interface KeptReport {
  readonly notes: readonly RunNote[];
  readonly events: readonly NewRunEvent[];
  readonly stop: AbortController;
  readonly report: RunReport;
}

/** Returns reports that are kept. @param note - stores a note. @default accepts it */
export function makeReport(note: (note: RunNote) => Promise<void> = () => Promise.resolve()): KeptReport {
  const notes: RunNote[] = [];
  const events: NewRunEvent[] = [];
  const stop = new AbortController();
  const report = {
    signal: stop.signal,
    note: (each: RunNote): Promise<void> => {
      notes.push(each);
      return note(each);
    },
    readBlob: () => Promise.resolve(undefined),
    event: (event: NewRunEvent): void => void events.push(event),
  };
  return { notes, events, stop, report };
}

/** Start of an agent run with `run()`, which throws all work away on request. */
import type { CreateAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run';
import type { RunPromise } from 'truecast/internal/run/events/run-events';
import type { AnyRunResult } from 'truecast/internal/run/options/read-only';
import type { RunOptions } from 'truecast/internal/run/options/run-options';
import { readOnlyRun } from 'truecast/internal/run/read-only-run';
import { run } from 'truecast/internal/run/run';

/** Result of a run. One that throws its work away has no branch and no commits. */
export type EndedRun = AnyRunResult;

export function beginRun(
  options: RunOptions,
  { read_only: readOnly, ref }: Pick<CreateAgentRunBody, 'read_only' | 'ref'>,
): RunPromise<EndedRun> {
  return readOnly === true ? readOnlyRun(options, ref) : run(options);
}

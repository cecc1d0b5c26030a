/** Failure of a task whose durable run ended without a result, with the work of the run. Pure. */
import { EvidenceError } from '@truecast/core/internal/errors/base/run-evidence';

/** The code is that of the run with hyphens, as `RunEndedError` has it. */
export class FailedAgentRun extends EvidenceError {
  override readonly name: string = 'FailedAgentRun';
}

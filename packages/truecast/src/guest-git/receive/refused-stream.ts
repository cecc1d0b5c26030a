/** Error for a guest's stream that the host rejects. Pure. */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';

/** Facts about a rejection. */
export interface RefusalEvidence {
  readonly cause?: unknown;
  readonly stderrTail?: string;
}

/** Creates the error. `reason` completes its sentence. */
export function refusedStream(reason: string, evidence: RefusalEvidence = {}): SandboxError {
  return new SandboxError(`The work in the sandbox's git store could not be imported: ${reason}.`, {
    code: 'sync',
    ...evidence,
  });
}

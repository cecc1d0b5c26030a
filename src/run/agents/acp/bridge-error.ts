/** Owns the errors that the bridge tells of: an agent that cannot do what it is asked. */
import { AgentError } from '../../../errors/agent-error.ts';

/** Makes the error; its message is printed, and becomes the run's. */
export function bridgeError(message: string, cause?: unknown): AgentError {
  return new AgentError(message, { code: 'api', cause });
}

/** Bridge errors: the agent does not support a request. */
import { AgentError } from '@truecast/core/internal/errors/agent-error';

/** Creates the error. Its message is printed and becomes the run's error message. */
export function bridgeError(message: string, cause?: unknown): AgentError {
  return new AgentError(message, { code: 'api', cause });
}

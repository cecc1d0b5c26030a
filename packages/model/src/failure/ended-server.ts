/**
 * Ended servers: a connection that closed during a request, and then nothing that listens. A request
 * can end the process of a server, for example with a schema that its converter cannot read.
 */
import type { ModelError } from '@truecast/core/internal/errors/model-error';
import { connectionError, connectionFailure } from './unreachable.ts';

/** Models whose last request lost its connection. */
const closed = new WeakSet<object>();

/**
 * Returns the error of a failed request. A refused connection after one that closed means that the
 * server ended.
 */
export function afterClosing(model: object, error: ModelError): ModelError {
  const failure = connectionFailure(error);
  if (failure?.cause === 'no-server' && closed.has(model)) {
    return connectionError({ ...failure, cause: 'ended' }, error.cause);
  }
  // Without a cause, the reply ended or our own limit ended it.
  if (error.code === 'stream' && error.cause !== undefined) closed.add(model);
  else closed.delete(model);
  return error;
}

export function noteAnswered(model: object): void {
  closed.delete(model);
}

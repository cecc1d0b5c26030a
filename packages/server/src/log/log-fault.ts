/** Log lines of faults and notices, with the failure and its place in the code. */
import type { LogFacts, ServerLog } from './server-log.ts';

const MAX_MESSAGE_CHARS = 500;

/** A notice from a part of the server. */
export interface LoggedNotice {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly chatId?: string;
  readonly cause?: unknown;
}

export function logNotice(log: ServerLog, { level, message, chatId, cause }: LoggedNotice): void {
  log[level](message, { event: 'notice', chat_id: chatId, ...causeFacts(cause) });
}

/** Logs a request that failed because of a server fault. */
export function logFault(log: ServerLog, error: unknown, requestId: string): void {
  log.error('A request failed because of a server error.', {
    event: 'fault',
    http_request_id: requestId,
    ...causeFacts(error),
  });
}

/**
 * Only an error's message is logged, because other members can contain parameters of a statement.
 */
function causeFacts(cause: unknown): LogFacts {
  if (!(cause instanceof Error)) return {};
  const code: unknown = Reflect.get(cause, 'code');
  return {
    error_name: cause.name,
    error_code: typeof code === 'string' ? code : undefined,
    error_message: cause.message.slice(0, MAX_MESSAGE_CHARS),
    error_at: framesOf(cause),
  };
}

function framesOf({ stack = '' }: Error): readonly string[] {
  return stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, 8);
}

/** Options that calls of the client share. */

/** Cancellation of one request. Completed server-side effects remain. */
export interface StopOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of one send. */
export interface RequestOptions extends StopOptions {
  /** @default a random one for each call */
  readonly idempotencyKey?: string;
}

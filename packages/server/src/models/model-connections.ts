/** Connections of models while a server runs, as the routes use them. */
import type { ConnectModelBody, ConnectFailure } from '@truecast/client/internal/wire/model-connection';

/** Who connects or disconnects a model. */
export interface ConnectionCaller {
  readonly owner: string;
  /** Name in the audit log. */
  readonly actor: string;
}

/** Result of a test call. */
export type ConnectionResult =
  | { readonly type: 'connected'; readonly id: string }
  | {
      readonly type: 'refused';
      readonly reason: ConnectFailure;
      readonly message: string;
      readonly field?: string;
      readonly statusCode?: number;
    };

/** Models of this process that no configuration names. Their keys are in its memory alone. */
export interface ModelConnections {
  /**
   * Calls the model once, and lists it if it answers.
   *
   * @throws RequestRefusedError for a field, an address that is not allowed, and above the limits
   */
  connect(body: ConnectModelBody, caller: ConnectionCaller, signal: AbortSignal): Promise<ConnectionResult>;
  /** Removes a connected model with its key. Returns false if it is not connected. */
  disconnect(id: string, caller: ConnectionCaller): Promise<boolean>;
}

/**
 * Names of models that were connected while a server runs. The name shows every process and every later
 * start that no configuration has the model, so that none of them answers with another one. Pure.
 */

const PREFIX = 'connected:';

/** Returns the name of a connected model. `provider` is that of a `ModelPlace`. */
export function connectedName({
  provider,
  name,
}: {
  readonly provider: string;
  readonly name: string;
}): string {
  return `${PREFIX}${provider}:${name}`;
}

export function isConnectedName(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** Says why this process does not have a connected model, and what to do. */
export function notConnected(id: string): string {
  return `\`${id}\` is not connected to this process of the server. It was connected before a restart, or in another process. Connect it again in the console, or choose another model for the chat.`;
}

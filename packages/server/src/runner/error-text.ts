/** Error text of a turn: the message of a service or a tool, with secrets masked. */
import type { TurnPorts } from './turn-ports.ts';

/** Returns the masked message. A service can quote its key, and a tool its environment. */
export function errorText({ mask }: Pick<TurnPorts, 'mask'>, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return mask === undefined ? text : mask(text);
}

/** Owns where warnings go that nobody asked for. */
import type { StoreWarning } from './store.ts';

/** Gives a warning to the process. */
export function emitWarning({ message, cause }: StoreWarning): void {
  process.emitWarning(
    `${message}: ${cause instanceof Error ? cause.message : String(cause)}`,
    'TruecastStoreWarning',
  );
}

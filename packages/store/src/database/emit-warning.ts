/** Default sink for warnings. */
import type { StoreWarning } from './store.ts';

/** Emits a process warning. */
export function emitWarning({ message, cause }: StoreWarning): void {
  process.emitWarning(
    `${message}: ${cause instanceof Error ? cause.message : String(cause)}`,
    'TruecastStoreWarning',
  );
}

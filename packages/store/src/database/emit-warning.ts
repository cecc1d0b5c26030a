/** Default sink for warnings. */
import type { StoreWarning } from './store.ts';

export function emitWarning({ message, cause }: StoreWarning): void {
  process.emitWarning(
    `${message}: ${cause instanceof Error ? cause.message : String(cause)}`,
    'TruecastStoreWarning',
  );
}

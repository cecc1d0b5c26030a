/** Folder of the scenarios that this package ships. */
import { fileURLToPath } from 'node:url';

/** Returns its path. The folder is next to `src` and to the published `dist`. */
export function shippedFolder(): string {
  return fileURLToPath(
    new URL(import.meta.url.endsWith('.ts') ? '../../ensembles' : '../ensembles', import.meta.url),
  );
}

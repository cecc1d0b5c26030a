/** Loader of `truecast.config.ts`: finds it, imports it with Node, and validates each member. */
import { existsSync } from 'node:fs';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { readServerConfig } from '@truecast/server/internal/config/read-server-config';
import type { ServerConfig } from '@truecast/server/internal/config/server-config';
import { importModule } from '../flags/import-module.ts';

const DEFAULT_FILE = 'truecast.config.ts';

/**
 * Loads a configuration. Without a path, loads that of the current folder if it exists.
 *
 * @throws UsageError that names the file and each invalid member
 */
export async function loadConfig(path: string | undefined): Promise<ServerConfig> {
  if (path === undefined && !existsSync(DEFAULT_FILE)) return {};
  const file = path ?? DEFAULT_FILE;
  const loaded = await importModule(file, `The configuration \`${file}\``);
  const value: unknown =
    typeof loaded === 'object' && loaded !== null ? Reflect.get(loaded, 'default') : loaded;
  if (value === undefined) {
    throw new UsageError(
      `The configuration \`${file}\` has no default export. Write \`export default defineServerConfig({ … })\`.`,
    );
  }
  return readServerConfig(value, `The configuration \`${file}\``);
}

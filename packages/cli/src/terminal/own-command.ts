/**
 * Own command: how a reader of a printed line starts Truecast, and where its packages are. The name
 * on npm is not ours, so no line may lead there.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The command in a project that has Truecast installed. `--no` prevents npx from downloading a package. */
export const INSTALLED_COMMAND = 'npx --no truecast';

/** The clone from which this process runs. Undefined for an installed package. */
const CLONE: string | undefined = /^(?<root>.*)[\\/]packages[\\/](?:cli|truecast)[\\/]/u.exec(
  import.meta.dirname,
)?.groups?.['root'];

/** The command in the folder from which this process was started. */
export const OWN_COMMAND: string = CLONE === undefined ? INSTALLED_COMMAND : 'npm run -s truecast --';

/** Tarballs of a clone, made by `npm run pack -- tarballs`. */
export interface OwnTarballs {
  /** A shell pattern for all of them. */
  readonly pattern: string;
  /** Their paths. Empty if they are not packed, or if the clone is not known. */
  readonly paths: readonly string[];
}

/** Returns the tarballs of the clone from which this process runs. */
export function ownTarballs(): OwnTarballs {
  if (CLONE === undefined) return { pattern: 'CLONE/tarballs/*.tgz', paths: [] };
  const folder = join(CLONE, 'tarballs');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.tgz')) : [];
  return { pattern: join(folder, '*.tgz'), paths: names.map((name) => join(folder, name)) };
}

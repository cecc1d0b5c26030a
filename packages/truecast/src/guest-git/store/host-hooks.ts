/** Hooks of the host's repository: checks whether any must be shown inside. */
import { join } from 'node:path';
import { readdirSync, statSync } from 'node:fs';
import { QUARANTINE_SUFFIX } from '../../git/command/quarantine.ts';

/** Returns true if the repository has a hook that is not a sample. */
export function holdsHooksSync(commonDir: string): boolean {
  const folder = join(commonDir, 'hooks');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  return readdirSync(folder).some((name) => !name.endsWith('.sample') && !name.includes(QUARANTINE_SUFFIX));
}

/** Last pass over the built pages: a keyboard reaches everything, they have fewer bytes, and samples have types. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible } from './make-accessible.ts';
import { smaller } from './make-smaller.ts';
import { HOVERS_FILE } from './prepare/prepare.ts';
import type { ShownSample } from './prepare/sample-hovers.ts';
import { withHovers } from './with-hovers.ts';

/** Changes the HTML files in `folder`. */
export function finishPages(folder: string): void {
  for (const file of globSync('**/*.html', { cwd: folder })) {
    const path = join(folder, file);
    writeFileSync(path, smaller(accessible(readFileSync(path, 'utf8'))));
  }
  const landing = join(folder, 'index.html');
  // Written by prepare.ts, which types it.
  const hovers = JSON.parse(
    readFileSync(join(import.meta.dirname, HOVERS_FILE), 'utf8'),
  ) as readonly ShownSample[];
  writeFileSync(landing, withHovers(readFileSync(landing, 'utf8'), hovers));
}

/** Last pass over the built pages: a keyboard reaches everything, and they have fewer bytes. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible } from './make-accessible.ts';
import { smaller } from './make-smaller.ts';

/** Changes the HTML files in `folder`. */
export function finishPages(folder: string): void {
  for (const file of globSync('**/*.html', { cwd: folder })) {
    const path = join(folder, file);
    writeFileSync(path, smaller(accessible(readFileSync(path, 'utf8'))));
  }
}

/**
 * Writes the form of each version that has none: `node test/server/stored-forms/write-forms.ts`. It never
 * changes one that exists, because databases have rows of it.
 */
import { writeFile } from 'node:fs/promises';
import { formOf, newestPathOf, STORED_SHAPES } from './stored-shapes.ts';

for (const [name, stored] of Object.entries(STORED_SHAPES)) {
  const text = `${JSON.stringify(formOf(stored.shape), undefined, 2)}\n`;
  await writeFile(newestPathOf(name, stored), text, { flag: 'wx' }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
}

/** Object folders of a repository: its own and, recursively, every alternate. Read from files that no guest can write. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Returns the folders, the repository's own first. Stops at cycles. */
export function findObjectFolders(commonDir: string): readonly string[] {
  const found: string[] = [];
  const visit = (objects: string): void => {
    if (found.includes(objects) || !existsSync(objects)) return;
    found.push(objects);
    const list = join(objects, 'info', 'alternates');
    if (!existsSync(list)) return;
    for (const line of readFileSync(list, 'utf8').split('\n')) {
      if (line !== '' && !line.startsWith('#')) visit(resolve(objects, unquoted(line)));
    }
  };
  visit(join(commonDir, 'objects'));
  return found;
}

/** Git quotes a path with special characters as a C string. */
function unquoted(line: string): string {
  if (!line.startsWith('"') || !line.endsWith('"')) return line;
  return line.slice(1, -1).replaceAll(/\\(.)/gu, '$1');
}

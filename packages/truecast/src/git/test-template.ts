/** Templates of test repositories: each is created once per process, by git, and then copied. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns a function that copies a template to a path. `create` makes the template in an empty
 * folder, at the first copy: five git processes take ten times as long as a copy.
 */
export function repositoryTemplate(create: (path: string) => void): (path: string) => void {
  let template: string | undefined;
  return (path) => {
    if (template === undefined) {
      // Removed after the test run, because killed workers cannot remove it.
      const created = mkdtempSync(join(process.env['TRUECAST_TEST_TEMPLATES'] ?? tmpdir(), 'template-'));
      create(created);
      template = created;
    }
    const skipsSamples = (source: string): boolean => !source.endsWith('.sample');
    cpSync(template, path, { recursive: true, preserveTimestamps: true, filter: skipsSamples });
    // The index contains the inodes of the template's files, and git's plumbing commands compare
    // them.
    if (existsSync(join(path, '.git/index'))) {
      execFileSync('git', ['update-index', '-q', '--refresh'], { cwd: path });
    }
  };
}

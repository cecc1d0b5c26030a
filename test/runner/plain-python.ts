/** Plain Python: the interpreter instead of pyenv's script, which starts twenty programs before it. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Puts the folder of the interpreter first if the `python3` of this process is such a script. */
export function usePlainPython(): void {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const first = folders.find((folder) => folder !== '' && existsSync(join(folder, 'python3')));
  if (first?.endsWith('/shims') !== true) return;
  try {
    const words = ['-c', 'import sys; print(sys.executable)'];
    const found = execFileSync('python3', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    process.env['PATH'] = [dirname(found.trim()), ...folders].join(delimiter);
  } catch {
    // The script has no interpreter: the suites that need one say so.
  }
}

/** Fake git on the PATH: clean-up commands fail or hang after work has landed on `main`. */
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './fixture.ts';

/** Commands to replace, and from when. */
export interface GitAfterLanding {
  /** The repository. */
  readonly cwd: string;
  /** File whose presence on `main` means that the work has landed. */
  readonly file: string;
  /** Parts of command lines: `status`, `branch -D`. */
  readonly commands: readonly string[];
  /** Shell commands that run instead, such as `exec sleep 600`. */
  readonly instead: string;
}

/** Puts the fake on the PATH until the test ends. Every other command is given to the real git. */
export function replaceGitAfterLanding({ cwd, file, commands, instead }: GitAfterLanding): void {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const bin = temporaryFolder();
  const path = process.env['PATH'] ?? '';
  const hasLanded = `${real} --git-dir='${cwd}/.git' cat-file -e main:${file} 2>/dev/null`;
  const patterns = commands.map((command) => `*' ${command} '*`).join('|');
  const script = `#!/bin/sh
case " $* " in ${patterns}) if ${hasLanded}; then ${instead}; fi;; esac
exec ${real} "$@"
`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  process.env['PATH'] = `${bin}${delimiter}${path}`;
  onTestFinished(() => {
    process.env['PATH'] = path;
  });
}

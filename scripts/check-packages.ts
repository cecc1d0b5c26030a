/** Package check (`npm run check:package`): packs the built packages and has publint and attw judge each tarball. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packPackages } from './pack.ts';

const folder = mkdtempSync(join(tmpdir(), 'truecast-check-'));
try {
  for (const tarball of Object.values(packPackages(folder))) {
    judge('publint', ['--strict', tarball]);
    judge('attw', [tarball, '--profile', 'esm-only']);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function judge(program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return;
  process.stderr.write(`${program} ${args.join(' ')}\n${stdout}${stderr}\n`);
  process.exitCode = 1;
}

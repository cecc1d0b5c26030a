/** Package check (`npm run check:package`): packs the built packages and has publint and attw judge each tarball. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packPackages } from './pack.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'truecast-check-'));
try {
  const tarballs = Object.values(packPackages(folder));
  await Promise.all([
    judge(tarballs, (tarball) => ['publint', '--strict', tarball]),
    judge(tarballs, (tarball) => ['attw', tarball, '--profile', 'esm-only']),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs one program on each tarball, one after the other. */
async function judge(
  tarballs: readonly string[],
  commandOf: (tarball: string) => readonly [program: string, ...args: string[]],
): Promise<void> {
  for (const tarball of tarballs) {
    const [program, ...args] = commandOf(tarball);
    try {
      await run(program, args);
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }; // Node documents both.
      process.stderr.write(`${program} ${args.join(' ')}\n${stdout}${stderr}\n`);
      process.exitCode = 1;
    }
  }
}

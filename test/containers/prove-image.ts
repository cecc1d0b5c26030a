/**
 * Long form of the image's suite: `npm run proof:image` makes a Debian with `mmdebstrap`, and builds and tries
 * the image on it. Needs `mmdebstrap` and a mirror of Debian.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGES = 'bash,bubblewrap,ca-certificates,git,tini';
const SUITE = 'bookworm';

const folder = mkdtempSync(join(tmpdir(), 'truecast-debian-'));
try {
  const root = join(folder, 'root.tar');
  const made = run('mmdebstrap', ['--variant=minbase', `--include=${PACKAGES}`, SUITE, root]);
  const words = ['vitest', 'run', '--project', 'long-apart', 'test/containers/server-image.test.ts'];
  process.exitCode =
    made === 0
      ? run('npx', words, { TRUECAST_IMAGE_ROOT: root, TRUECAST_MATRIX: 'whole', CI: 'true' })
      : made;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (error !== undefined) {
    process.stderr.write(`${program}: ${error.message}. Install it: apt install ${program}\n`);
  }
  return status ?? 1;
}

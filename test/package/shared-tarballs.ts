/** Shared tarballs: all packages, built and packed once for all suites of a run. */
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { z } from 'zod';
import { packPackages } from '../../scripts/pack.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Environment variable through which workers reach the process that runs the suites. */
const ADDRESS = 'TRUECAST_TEST_TARBALLS';

/** The tarball's path of each package, by the package's name. */
export type Tarballs = Readonly<Record<string, string>>;

/** Offers the tarballs to all workers, and removes them after the last suite. */
export async function setup(): Promise<(() => void) | undefined> {
  // Each project of a run calls this. Two builds at once would remove each other's files.
  if (process.env[ADDRESS] !== undefined) return undefined;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-tarballs-')));
  let packed: Promise<Tarballs> | undefined;
  const offer = createServer((_request, response) => {
    packed ??= buildAndPack(folder);
    packed.then(
      (tarballs) => response.end(JSON.stringify(tarballs)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(offer.listen(0, '127.0.0.1'), 'listening');
  const address = offer.address();
  if (typeof address === 'object') process.env[ADDRESS] = `http://127.0.0.1:${address?.port}`;
  return () => {
    offer.close();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function buildAndPack(folder: string): Promise<Tarballs> {
  await execa('tsdown', [], { cwd: ROOT, preferLocal: true });
  await execa('vite', ['build', 'web'], { cwd: ROOT, preferLocal: true });
  return packPackages(folder);
}

/** Returns the tarballs. The first call builds and packs. */
export async function sharedTarballs(): Promise<Tarballs> {
  const response = await fetch(process.env[ADDRESS] ?? '');
  const answer = await response.text();
  if (!response.ok) throw new TypeError(answer);
  return z.record(z.string(), z.string()).parse(JSON.parse(answer));
}

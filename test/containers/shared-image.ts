/**
 * Shared image: this machine's programs as a container image, written once for all suites of a run, and
 * imported once into a Podman store that the stores of the suites read.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { askForOffer, lazy, offerToWorkers } from '../offers.ts';
import { writeHostImage } from './host-image.ts';
import { writeOciLayout } from './oci-layout.ts';

/** Image with bash, coreutils, git and node. The name is used by tests only. */
export const TEST_IMAGE = 'localhost/truecast-test:1';

/** Environment variable through which workers reach the process that runs the suites. */
const ADDRESS = 'TRUECAST_TEST_IMAGE';

/** Offers the image to all workers, and removes it after the last suite. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  let folder: string | undefined;
  const tar = lazy(async () => {
    folder = await mkdtemp('/tmp/truecast-image-');
    const path = join(folder, 'image.tar');
    await writeHostImage(path);
    return path;
  });
  const stop = await offerToWorkers(ADDRESS, {
    '/tar': tar,
    '/podman-store': async () => importOnce(await tar()),
  });
  if (stop === undefined) return undefined;
  return async () => {
    stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}

/** Returns the storage folder of a Podman that has the image. No container runs in it. */
async function importOnce(tar: string): Promise<string> {
  const root = `${tar}-store`;
  const places = ['--root', root, '--runroot', `${root}-run`, '--storage-driver', 'overlay'];
  const cwd = dirname(tar);
  await writeOciLayout(join(cwd, 'layout'), tar);
  // Not by its whole path, which becomes a name, and has capital letters.
  const { stdout: id } = await execa('podman', [...places, 'pull', '--quiet', 'oci:layout'], { cwd });
  await execa('podman', [...places, 'tag', id, TEST_IMAGE]);
  // Mounted over itself, which would prevent the removal.
  await execa('umount', ['-l', join(root, 'overlay')], { reject: false });
  return root;
}

/** Returns the tar of the image. */
export async function sharedImageTar(): Promise<string> {
  return z.string().parse(await askForOffer(ADDRESS, '/tar'));
}

/** Returns a storage folder of Podman with the image, which other stores can read. */
export async function sharedPodmanStore(): Promise<string> {
  return z.string().parse(await askForOffer(ADDRESS, '/podman-store'));
}

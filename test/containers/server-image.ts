/** Image of the server: built from `containers/Containerfile` for a suite, and started as containers. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { CONTAINERFILE, writeImageContext } from '../../scripts/build-image.ts';
import { sharedTarballs } from '../package/shared-build.ts';
import { sharedImageTar } from './shared-image.ts';

export const SERVER_IMAGE = 'localhost/truecast-server:test';
const NODE_IMAGE = 'localhost/truecast-host:1';
const ROOT_IMAGE = 'localhost/truecast-root:1';
/** A root file system as a tar, as the base. */
const ROOT_TAR: string | undefined = process.env['TRUECAST_IMAGE_ROOT'];
/** What compose.yaml says for hosts of sandboxes. */
export const FOR_SANDBOXES: readonly string[] = [
  '--security-opt',
  'seccomp=unconfined',
  '--security-opt',
  'unmask=ALL',
];

/** Builds the image with podman, on this machine's programs or on the root file system of `npm run proof:image`. */
export async function buildServerImage(): Promise<void> {
  const context = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-image-context-')));
  try {
    writeImageContext(context, Object.values(await sharedTarballs()));
    // Podman builds on no image of a store that it only reads.
    await execa('podman', ['import', await sharedImageTar(), NODE_IMAGE]);
    if (ROOT_TAR !== undefined) await execa('podman', ['import', ROOT_TAR, ROOT_IMAGE]);
    const base = ROOT_TAR === undefined ? NODE_IMAGE : ROOT_IMAGE;
    const how = ['--isolation', 'chroot', '--network', 'host', '--format', 'docker', '--quiet'];
    const values = [`BASE=${base}`, `NODE=${NODE_IMAGE}`, 'VERSION=1.2.3'];
    const given = values.flatMap((value) => ['--build-arg', value]);
    const names = ['--file', CONTAINERFILE, '--tag', SERVER_IMAGE];
    await execa('podman', ['build', ...how, ...given, ...names, context]);
  } finally {
    rmSync(context, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Starts a container of a command on this machine's network. Returns its id. */
export async function startContainer(
  words: readonly string[],
  options: readonly string[] = [],
): Promise<string> {
  const how = ['run', '--detach', '--network', 'host', ...options];
  const { stdout } = await execa('podman', [...how, SERVER_IMAGE, ...words]);
  return stdout.trim();
}

/** Returns what a container printed. */
export async function logOfContainer(id: string): Promise<string> {
  return (await execa('podman', ['logs', id], { all: true, reject: false })).all;
}

/** Removes all containers of the suite. */
export async function removeContainers(): Promise<void> {
  await execa('podman', ['rm', '--all', '--force', '--time', '0'], { reject: false });
}

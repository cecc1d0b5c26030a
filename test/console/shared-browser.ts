/** Shared browser: Chromium of the machine, one for all files of a worker. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { isolatedFolder } from '../isolated-folders.ts';

/** Chromium without windows and profiles. The same version draws a page in a third of the processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

/** A page is drawn in few pieces: a twentieth of the processor time of a load. */
const LARGE_TILES = ['--default-tile-width=1312', '--default-tile-height=912'];

/** Starts the browser of the machine, with these flags too. */
export function startBrowser(flags: readonly string[] = []): Promise<Browser> {
  const installed = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : '/usr/bin/chromium';
  return chromium.launch({
    executablePath: process.env['TRUECAST_CHROMIUM'] ?? installed,
    // Pages of one context share a process, which has compiled the console's code.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--renderer-process-limit=1',
      ...LARGE_TILES,
      ...flags,
    ],
  });
}

/** A test is shorter than what optimized code saves: a tenth of the browser's processor time. */
const UNOPTIMIZED = '--js-flags=--no-opt --no-maglev';

let shared: Promise<Browser> | undefined;

/** Returns the browser of all files of this worker. It ends with the worker. */
export async function sharedBrowser(): Promise<Browser> {
  if (shared !== undefined && !(await shared).isConnected()) shared = undefined;
  return (shared ??= startSharedBrowser());
}

/** A worker is ended at once, so that the profile is in a folder that is removed after the run. */
async function startSharedBrowser(): Promise<Browser> {
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = isolatedFolder('TRUECAST_TEST_TEMPLATES');
  try {
    return await startBrowser([UNOPTIMIZED]);
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
}

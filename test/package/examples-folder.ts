/** Folder of the examples whose programs load the built packages, as a user's programs do. */
import { cpSync, existsSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isolatedFolder } from '../isolated-folders.ts';
import { sharedPackages } from './shared-build.ts';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = join(ROOT, 'examples');

let copy: Promise<string> | undefined;

/**
 * Returns the folder. In `npm test` it is a copy beside the packed packages, which load in a third of the
 * processor time. For a single file it is the folder itself, which needs no build.
 */
export async function examplesFolder(): Promise<string> {
  if (process.env['TRUECAST_COMMAND'] !== 'built') return SOURCES;
  copy ??= copyExamples();
  return copy;
}

async function copyExamples(): Promise<string> {
  const root = mkdtempSync(join(isolatedFolder('TRUECAST_TEST_TEMPLATES'), 'examples-'));
  const examples = join(root, 'examples');
  cpSync(SOURCES, examples, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  // What our packages do not bring is found one folder above, as in the workspace.
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  symlinkSync(await sharedPackages(), join(examples, 'node_modules'));
  const manifest = join(examples, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "type": "module" }\n');
  return examples;
}

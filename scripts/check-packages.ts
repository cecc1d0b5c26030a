/** Package check (`npm run check:package`): packs the built packages and has publint and attw judge each tarball. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packPackages } from './pack.ts';

/** Resolutions that a package of ES modules alone does not serve, as in attw's profile `esm-only`. */
const NOT_SERVED: readonly string[] = ['node10', 'node16-cjs'];

/** Returns the faults of a tarball. It calls functions of this process: a start of the two programs takes longer. */
async function judgeTarball(path: string): Promise<readonly string[]> {
  const bytes = new Uint8Array(readFileSync(path));
  return [...(await lintManifest(bytes)), ...(await judgeTypes(bytes))];
}

/** As `publint --strict`: a warning is an error, and a suggestion is not. */
async function lintManifest({ buffer }: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: buffer } });
  return messages
    .filter(({ type }) => type === 'error')
    .map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
}

/** As `attw --profile esm-only`, and a package without types is wrong too. */
async function judgeTypes(bytes: Uint8Array): Promise<readonly string[]> {
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  if (!analysis.types) return ['attw: has no types'];
  return analysis.problems
    .filter((problem) => !('resolutionKind' in problem && NOT_SERVED.includes(problem.resolutionKind)))
    .map((problem) => `attw: ${JSON.stringify(problem)}`);
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-check-'));
  try {
    for (const tarball of Object.values(packPackages(folder))) {
      for (const fault of await judgeTarball(tarball)) {
        process.stderr.write(`${basename(tarball)}: ${fault}\n`);
        process.exitCode = 1;
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

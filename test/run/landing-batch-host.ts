/**
 * Host of a batch that merges one item, and dies in the check, after the landing, or after the deletion of
 * the landed branch. Its git kills it.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { landingBatch } from './landing-batch.ts';

const [cwd = '', out = '', marks = '', stage = ''] = process.argv.slice(2);
const LAST_CALLS: Readonly<Record<string, string>> = {
  landed: ' merge --quiet ',
  deleted: ' update-ref -d refs/heads/truecast/',
};
const last = LAST_CALLS[stage];
if (last !== undefined) {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const bin = join(marks, 'bin');
  mkdirSync(bin);
  const dies = `case "$code $* " in "0 "*"${last}"*) kill -9 ${process.pid};; esac`;
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n'${real}' "$@"\ncode=$?\n${dies}\nexit $code\n`);
  chmodSync(join(bin, 'git'), 0o755);
  process.env['PATH'] = `${bin}:${process.env['PATH']}`;
}

await runBatch(landingBatch({ cwd, out, marks, stage }));

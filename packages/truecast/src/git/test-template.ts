/** Templates of test repositories: each is created once per process, by git, and then copied. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes of an entry of the index before its name, and where the parts that are read begin. */
const ENTRY = { name: 62, flags: 60 };

/**
 * Returns a function that copies a template to a path. `create` makes the template in an empty
 * folder, at the first copy: five git processes take ten times as long as a copy.
 */
export function repositoryTemplate(create: (path: string) => void): (path: string) => void {
  let template: string | undefined;
  return (path) => {
    if (template === undefined) {
      // Removed after the test run, because killed workers cannot remove it.
      const created = mkdtempSync(join(process.env['TRUECAST_TEST_TEMPLATES'] ?? tmpdir(), 'template-'));
      create(created);
      // Git's examples of hooks: without them, a copy has half of the files.
      const files = readdirSync(created, { recursive: true, encoding: 'utf8' });
      for (const file of files.filter((name) => name.endsWith('.sample'))) rmSync(join(created, file));
      const config = join(created, '.git/config');
      // Each commit would start a process that finds nothing to do.
      if (existsSync(config)) appendFileSync(config, '[maintenance]\n\tauto = false\n');
      template = created;
    }
    cpSync(template, path, { recursive: true, preserveTimestamps: true });
    if (existsSync(join(path, '.git/index'))) refreshIndex(path);
  };
}

/**
 * Writes the times and inodes of the copied files to the index, which git's plumbing commands compare. It is
 * what `git update-index --refresh` does, without a process for each repository.
 */
function refreshIndex(repository: string): void {
  const file = join(repository, '.git/index');
  const index = readFileSync(file);
  assert.equal(index.readUInt32BE(4), 2, `The index of the template ${repository} is no version 2.`);
  const entries = index.readUInt32BE(8);
  let at = 12;
  for (let entry = 0; entry < entries; entry++) {
    const length = index.readUInt16BE(at + ENTRY.flags) & 0xfff;
    const name = index.toString('utf8', at + ENTRY.name, at + ENTRY.name + length);
    const stat = lstatSync(join(repository, name), { bigint: true });
    const changed = [stat.ctimeNs, stat.mtimeNs].flatMap((time) => [
      time / 1_000_000_000n,
      time % 1_000_000_000n,
    ]);
    for (const [field, value] of [...changed, stat.dev, stat.ino].entries()) {
      index.writeUInt32BE(Number(BigInt.asUintN(32, value)), at + field * 4);
    }
    // One to eight zero bytes end a name.
    at += (ENTRY.name + length + 8) & ~7;
  }
  const content = index.subarray(0, -20);
  writeFileSync(file, Buffer.concat([content, createHash('sha1').update(content).digest()]));
}

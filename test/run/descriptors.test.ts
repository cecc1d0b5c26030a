/** Starts agents and helper programs from a host process that inherited an open folder and an open secret file. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { describeInBubblewrap, runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { makeRepository, temporaryFolder } from './fixture.ts';

const HOST: string = await bundledHost(new URL('descriptor-host.ts', import.meta.url));
const PROGRAMS_HOST: string = await bundledHost(new URL('descriptor-programs-host.ts', import.meta.url));
const SECRET = 'root:secret-of-the-host';
/** Lists a shell's descriptors, one per line. */
const LIST = "ls -l /proc/self/fd | grep -o '[0-9]* -> .*'";

const removals: (() => void)[] = [];
const atEnd = (remove: () => void): void => void removals.push(remove);
afterAll(() => removals.forEach((remove) => remove()));

/** Returns the inherited descriptors that are not the null device. Low ones belong to the program. */
function leakedDescriptors(listing: string): readonly string[] {
  const high = listing.split('\n').filter((line) => /^(?:[2-9]\d|\d{3,}) -> /u.test(line));
  return high.filter((line) => !line.endsWith('/dev/null'));
}

describe('descriptors that the host process inherited', () => {
  const sandboxes = runsBubblewrap ? ['none', 'bubblewrap'] : ['none'];
  const found: Record<string, string> = {};

  beforeAll(() => {
    const cwd = makeRepository('repo', atEnd);
    const folder = join(cwd, '..');
    writeFileSync(join(folder, 'secret'), SECRET);
    // A git wrapper that records the descriptors that it inherited.
    const bin = join(folder, 'bin');
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${LIST} >> '${folder}/git'\nexec ${git} "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    const script = `exec 100< / 101< '${folder}/secret'; exec '${process.execPath}' '${HOST}' '${cwd}' ${sandboxes.join(',')}`;
    const env = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const stdout = execFileSync('bash', ['-c', script], { cwd, env, encoding: 'utf8' });
    Object.assign(found, JSON.parse(stdout) as Record<string, string>);
    for (const name of sandboxes) {
      found[`a hook of ${name}`] = readFileSync(join(folder, `hook-${name}`), 'utf8');
    }
    if (existsSync(join(folder, 'git'))) found['git'] = readFileSync(join(folder, 'git'), 'utf8');
  });

  it.each([...sandboxes.flatMap((name) => [name, `a hook of ${name}`]), 'git'])('do not reach %s', (name) => {
    expect(found[name]).toMatch(/^0 -> /mu);
    expect(found[name]).not.toContain(SECRET);
    expect(leakedDescriptors(found[name] ?? '')).toEqual([]);
  });

  describeInBubblewrap('in bubblewrap', () => {
    it('do not come with a command line that names paths of the host', () => {
      expect(found['bubblewrap']).toContain('bwrap --args 5');
      expect(found['bubblewrap']).not.toContain('-bind');
    });
  });
});

describe('programs that are started without a run', () => {
  const programs = ['bwrap', 'git', 'claude', 'docker', 'docker-copy', 'podman', 'mcp-server'];
  const found: Record<string, string> = {};

  beforeAll(() => {
    const folder = temporaryFolder(atEnd);
    const bin = join(folder, 'bin');
    const secret = join(folder, 'secret');
    mkdirSync(bin);
    writeFileSync(secret, SECRET);
    for (const name of programs) {
      const record = `case "$1" in exec) name=${name}-copy;; *) name=${name};; esac`;
      writeFileSync(join(bin, name), `#!/bin/sh\n${record}\n${LIST} >> "${folder}/$name"\n`, { mode: 0o755 });
    }
    const start = `exec 100< / 101< '${secret}'; exec '${process.execPath}' '${PROGRAMS_HOST}' '${bin}' '${secret}'`;
    const env = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    execFileSync('bash', ['-c', start], { env, stdio: 'pipe' });
    for (const name of programs) found[name] = readFileSync(join(folder, name), 'utf8');
  });

  it.each(programs)('do not pass them on to %s', (name) => {
    expect(found[name]).toMatch(/^0 -> /mu);
    expect(leakedDescriptors(found[name] ?? '')).toEqual([]);
  });
});

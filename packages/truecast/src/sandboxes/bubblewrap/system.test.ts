import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeInBubblewrap } from '../../../../../test/describe-in-bubblewrap.ts';
import { temporaryFolder } from '../../../../../test/run/fixture.ts';
import { findSystemCredentials, systemBinds } from './system.ts';

it.each([
  ['etc/npmrc', '//registry.example.com/:_authToken=abc'],
  ['etc/npmrc', 'registry=https://name:word@registry.example.com/'],
  ['etc/gitconfig', '[http "https://example.com/"]\n\textraHeader = AUTHORIZATION: basic abc'],
  ['pip.conf', '[global]\nindex-url = https://__token__:abc@pip.example.com/simple'],
  ['etc/netrc', 'machine example.com login a password b'],
])('%s with `%s` has a credential', (name, text) => {
  const prefix = temporaryFolder();
  mkdirSync(join(prefix, 'etc'));
  writeFileSync(join(prefix, 'etc', 'curlrc'), 'silent\n');
  expect(findSystemCredentials([prefix])).toEqual([]);
  writeFileSync(join(prefix, name), text);
  expect(findSystemCredentials([prefix, join(prefix, 'absent')])).toEqual([join(prefix, name)]);
});

it('settings without a credential stay visible', () => {
  const prefix = temporaryFolder();
  mkdirSync(join(prefix, 'etc'));
  writeFileSync(join(prefix, 'etc', 'npmrc'), 'registry=https://registry.example.com/\n');
  expect(findSystemCredentials([prefix])).toEqual([]);
});

describeInBubblewrap('a sandbox', () => {
  it('shows settings with a credential empty, and the files beside them', () => {
    const empty = join(temporaryFolder(), 'empty');
    writeFileSync(empty, '');
    const hidden = '/usr/bin/env';
    const binds = systemBinds({
      sharesNetwork: false,
      etcPath: undefined,
      hidden: { paths: [hidden], emptyFilePath: empty },
    });
    const script = `wc -c < ${hidden}; wc -c < /usr/bin/wc | grep -qv '^0$' && echo beside`;
    const { stdout } = spawnSync('bwrap', [...binds, '--', 'sh', '-c', script], { encoding: 'utf8' });
    expect(stdout).toBe('0\nbeside\n');
  });
});

import { expect, it } from 'vitest';
import { readServerConfig } from './read-server-config.ts';

it.each([
  [{ quota: {} }, '`quota` is not a known option. Did you mean `quotas`?'],
  [{ quotas: { perOwner: { turns: -1 } } }, '`quotas.perOwner.turns`: Must be at least 1.'],
  [{ oidc: { issuer: 'https://a' } }, '`oidc.audience`: Is missing. Must be a string.'],
  [{ runs: { agents: ['codex'], sandbox: 'none' } }, '`runs.sandbox`: '],
  [{ repositories: { '../web': { path: '.' } } }, '`repositories.../web`: '],
  [{ repositories: { api: { url: '/srv/api.git' } } }, '`repositories.api.url`: Expected an address'],
  [{ repositories: { api: { url: 'file:///srv/api.git' } } }, '`repositories.api.url`: Expected an address'],
  [{ repositories: { api: { url: 'http://git.example/a' } } }, '`repositories.api.url`: Expected an address'],
  [
    { repositories: { api: { url: 'https://u:p@git.example/a' } } },
    '`repositories.api.url`: Expected an address without a password.',
  ],
  [
    { repositories: { api: { url: 'git@git.example:a.git', credential: { env: 'T' } } } },
    '`repositories.api.url`: Expected no `credential` beside an address of ssh',
  ],
  [{ repositories: { api: { path: '.', push: 'never' } } }, '`repositories.api.push` is not a known option.'],
  [{ retentionDays: '30' }, '`retentionDays`: Is a string. Must be a number.'],
])('names the wrong member of %j, and the expected value', (config, problem) => {
  expect(() => readServerConfig(config, 'The configuration')).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(`The configuration is wrong:\n  ${problem}`) as unknown,
    }),
  );
});

it.each([
  'https://git.example/a.git',
  'ssh://git@git.example/a',
  'git@git.example:a.git',
  'http://127.0.0.1:1/a',
])('accepts the address %s', (url) => {
  const config = { repositories: { api: { url, push: 'on_success' } } } as const;
  expect(readServerConfig(config, 'The configuration')).toEqual(config);
});

it('names what each form of a part lacks', () => {
  const read = (): unknown => readServerConfig({ mcpServers: [{ name: 'files' }] }, 'The configuration');
  expect(read).toThrow(/`mcpServers\.0`: Fits no form: `command` is missing; or `url` is missing\.$/u);
});

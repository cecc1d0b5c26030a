import { expect, it } from 'vitest';
import { readServerConfig } from './read-server-config.ts';

it.each([
  [{ quota: {} }, '`quota` is not a known option. Did you mean `quotas`?'],
  [{ quotas: { perOwner: { turns: -1 } } }, '`quotas.perOwner.turns`: Must be at least 1.'],
  [{ oidc: { issuer: 'https://a' } }, '`oidc.audience`: Is missing. Must be a string.'],
  [{ runs: { agents: ['codex'], sandbox: 'none' } }, '`runs.sandbox`: '],
  [{ repositories: { '../web': { path: '.' } } }, '`repositories.../web`: '],
  [{ retentionDays: '30' }, '`retentionDays`: Is a string. Must be a number.'],
])('names the wrong member of %j, and the expected value', (config, problem) => {
  expect(() => readServerConfig(config, 'The configuration')).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(`The configuration is wrong:\n  ${problem}`) as unknown,
    }),
  );
});

it('names what each form of a part lacks', () => {
  const read = (): unknown => readServerConfig({ mcpServers: [{ name: 'files' }] }, 'The configuration');
  expect(read).toThrow(/`mcpServers\.0`: Fits no form: `command` is missing; or `url` is missing\.$/u);
});

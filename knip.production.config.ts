/**
 * Unused exports of the product: `knip --production`. An export that only tests import is unused, unless
 * its comment says `@public` (a user imports it) or `@internal` (the console or a test does), or
 * its own file uses it.
 */
import shared from './knip.json' with { type: 'json' };

const config: object = {
  ...shared,
  ignoreExportsUsedInFile: true,
  ignoreIssues: { ...shared.ignoreIssues, 'packages/*/src/**/test-*.ts': ['exports', 'types'] },
};

export default config;

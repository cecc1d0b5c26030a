/** Tests that `npm sbom` can describe the package: npm refuses a tree with an unmet peer range. */
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const DEVELOPMENT = 'cdx:npm:package:development';

const sbom = z.object({
  bomFormat: z.literal('CycloneDX'),
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      properties: z.array(z.object({ name: z.string() })).default([]),
    }),
  ),
});

// Without `--omit dev`: npm then drops runtime dependencies that a development tool uses too.
it('lists every dependency of the package at its locked version, apart from development tools', async () => {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const { stdout } = await execa('npm', args, { cwd: ROOT });
  const runtime = sbom
    .parse(JSON.parse(stdout))
    .components.filter(({ properties }) => properties.every(({ name }) => name !== DEVELOPMENT))
    .map(({ name, version }) => `${name}@${version}`);
  const expected = Object.entries(packageJson.dependencies).map(([name, version]) => `${name}@${version}`);
  expect(runtime).toEqual(expect.arrayContaining(expected));
  expect(runtime.filter((name) => name.startsWith('vitest@'))).toEqual([]);
});

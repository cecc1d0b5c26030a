/**
 * Tests that `truecast/output`, `truecast/schema`, `@truecast/client` and the event contract of
 * `@truecast/ensemble` bundle for a browser and stay small.
 */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const CASES = [
  // Raised only in the commit that needs it. The size is minified code, in bytes.
  { entry: 'truecast/src/exports/output.ts', names: ['*'], maxBytes: 45_000 },
  // The rest of the entry needs a server's runtime. A bundler drops unused exports.
  {
    entry: 'core/src/index.ts',
    names: ['parseAgentOutput', 'eventSchema', 'jsonInstruction', 'stubEvent'],
    maxBytes: 22_000,
  },
  { entry: 'client/src/index.ts', names: ['*'], maxBytes: 42_000, maxGzipBytes: 15_000 },
  {
    entry: 'ensemble/src/index.ts',
    names: ['createEnsemble', 'manifestAgent', 'stubProvider'],
    maxBytes: 60_000,
  },
  { entry: 'truecast/src/exports/schema.ts', names: ['*'], maxBytes: 113_000 },
] as const;

const ENTRY = 'entry-of-a-user';

describe.each(CASES)('$entry', ({ entry, names, maxBytes, ...more }) => {
  it('bundles for a browser, with nothing left to import', async () => {
    const source = fileURLToPath(new URL(`../../packages/${entry}`, import.meta.url));
    const exported = names.map((name) => (name === '*' ? name : `{ ${name} }`));
    const user = {
      name: 'user',
      resolveId: (id: string) => (id === ENTRY ? id : undefined),
      load: (id: string) =>
        id === ENTRY
          ? exported.map((each) => `export ${each} from ${JSON.stringify(source)};`).join('\n')
          : undefined,
    };
    const bundle = await rolldown({ input: ENTRY, platform: 'browser', plugins: [user], external: /^node:/ });
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    await bundle.close();
    const chunks = output.filter((file) => file.type === 'chunk');
    const code = chunks.map((chunk) => chunk.code).join('');
    expect(chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports])).toEqual([]);
    expect(chunks.flatMap((chunk) => chunk.exports)).toEqual(
      expect.arrayContaining(names.filter((name) => name !== '*')),
    );
    expect(code.length).toBeGreaterThan(5_000);
    expect(code).not.toMatch(/["'`]node:|\bprocess\.|\bBuffer\b/u);
    expect(new TextEncoder().encode(code).length).toBeLessThan(maxBytes);
    if ('maxGzipBytes' in more) expect(gzipSync(code).length).toBeLessThan(more.maxGzipBytes);
  });
});

/** Holds the core to its promise: `truecast/output`, `truecast/schema` and `truecast/ensemble` bundle for a browser, and stay small. */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const CASES = [
  // Raised only in the commit that needs it; the figure is that of minified code, in bytes.
  { entry: 'output', name: 'extractOutput', maxBytes: 34_000 },
  { entry: 'ensemble', name: 'parseAgentOutput', maxBytes: 60_000 },
  { entry: 'schema', name: 'compileJsonSchema', maxBytes: 105_000 },
] as const;

describe.each(CASES)('truecast/$entry', ({ entry, name, maxBytes }) => {
  it('bundles for a browser, with nothing left to import', async () => {
    const input = fileURLToPath(new URL(`../../src/exports/${entry}.ts`, import.meta.url));
    const bundle = await rolldown({ input, platform: 'browser' });
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    await bundle.close();
    const chunks = output.filter((file) => file.type === 'chunk');
    const code = chunks.map((chunk) => chunk.code).join('');
    expect(chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports])).toEqual([]);
    expect(chunks.flatMap((chunk) => chunk.exports)).toContain(name);
    expect(code).not.toMatch(/["'`]node:|\bprocess\.|\bBuffer\b/u);
    expect(new TextEncoder().encode(code).length).toBeLessThan(maxBytes);
  });
});

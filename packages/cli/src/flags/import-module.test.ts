import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { importModule } from './import-module.ts';

const IMPORT_MODULE = fileURLToPath(new URL('import-module.ts', import.meta.url));

it('loads a module of a package without a type, and keeps the warnings of the module', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-import-'));
  try {
    await writeFile(join(folder, 'package.json'), '{}');
    const module = join(folder, 'truecast.config.ts');
    await writeFile(module, "process.emitWarning('from the module');\nexport default { a: 1 };\n");
    const program = `
      const { importModule } = await import(${JSON.stringify(IMPORT_MODULE)});
      const emit = process.emitWarning;
      const loaded = await importModule(${JSON.stringify(module)}, 'The module');
      console.log(JSON.stringify(loaded), process.emitWarning === emit);`;
    const args = ['--input-type=module', '--eval', program];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    expect(stdout).toBe('{"default":{"a":1}} true\n');
    expect(stderr).toContain('from the module');
    expect(stderr).not.toContain('MODULE_TYPELESS_PACKAGE_JSON');
  } finally {
    await rm(folder, { recursive: true });
  }
});

it.each([
  ['ts', 'import { sep } from "node:path";\nconst a: number = 1;\nexport default { a };\n'],
  ['js', 'import { sep } from "node:path";\nexport default { a: 1 };\n'],
  ['js', 'module.exports = { a: 1 };\n'],
])('loads a .%s file of a CommonJS package by its syntax: %j', async (extension, text) => {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-import-'));
  try {
    await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
    const module = join(folder, `truecast.config.${extension}`);
    await writeFile(module, text);
    const program = `
      const { importModule } = await import(${JSON.stringify(IMPORT_MODULE)});
      console.log(JSON.stringify((await importModule(${JSON.stringify(module)}, 'The module')).default));`;
    const args = ['--input-type=module', '--eval', program];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    expect([stdout, stderr]).toEqual(['{"a":1}\n', '']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('reports a missing file without the paths of this package', async () => {
  await expect(importModule('no.config.ts', 'The configuration `no.config.ts`')).rejects.toThrow(
    /^The configuration `no\.config\.ts` does not exist\. Check the path\.$/u,
  );
});

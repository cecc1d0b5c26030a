/** CommonJS: programs that `require()` the packed packages, and their types. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedPackages } from './shared-build.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
let project: string;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-common-js-')));
  project = join(folder, 'project');
  mkdirSync(project);
  // Dependencies of the packages resolve one folder above them.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(await sharedPackages(), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{"type":"commonjs"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Entries without an optional package. */
function entriesOf(name: string): readonly string[] {
  const manifest = readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8');
  const { exports } = JSON.parse(manifest) as { exports: object };
  return Object.keys(exports)
    .filter(
      (subpath) => !/^\.\/(?:internal|package\.json|react|sandboxes\/(?:daytona|vercel))/u.test(subpath),
    )
    .map((subpath) => join(name, subpath));
}

it.each(['truecast', '@truecast/core', '@truecast/client', '@truecast/server'])(
  'each entry of %s is required, without a warning',
  async (name) => {
    const entries = entriesOf(name);
    expect(entries).not.toEqual([]);
    const program = join(project, 'use.js');
    const required = entries.map((entry) => `require('${entry}')`).join(', ');
    writeFileSync(
      program,
      `console.log([${required}].map((each) => Object.keys(each).length > 0).join());\n`,
    );
    const { stdout, stderr } = await execa(process.execPath, [program]);
    expect({ stdout, stderr }).toEqual({ stdout: entries.map(() => 'true').join(), stderr: '' });
  },
);

it('has its types with `module: nodenext`, and TypeScript refuses `node16`', async () => {
  const lines = ["import { Output } from 'truecast';", "export const word = Output.string({ tag: 'word' });"];
  writeFileSync(join(project, 'use.cts'), `${lines.join('\n')}\n`);
  const check = async (module: string): Promise<string> => {
    const flags = ['--module', module, '--target', 'es2024', '--strict', '--skipLibCheck', '--noEmit'];
    const { stdout } = await execa(
      join(ROOT, 'node_modules/.bin/tsc'),
      [...flags, join(project, 'use.cts')],
      {
        cwd: project,
        reject: false,
      },
    );
    return stdout;
  };
  expect(await check('nodenext')).toBe('');
  expect(await check('node16')).toContain('TS1479');
});

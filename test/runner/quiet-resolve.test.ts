import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PRELOAD = join(import.meta.dirname, 'quiet-resolve.ts');
const PROGRAM = `
import module from 'node:module';
module.registerHooks({
  resolve(specifier, context, next) {
    console.log('ensureModuleGraphEntry', specifier.slice(0, 20));
    return next('node:os', context);
  },
});
await import('node:fs');
await import('./a.test.ts%3Fvitest=1');
module.registerHooks({
  resolve(specifier, context, next) {
    console.log('other', specifier);
    return next(specifier, context);
  },
});
await import('node:path');
`;

it('the hook of Vitest sees its own imports only, and another hook sees all', () => {
  const args = ['--import', PRELOAD, '--input-type=module', '-e', PROGRAM];
  const told = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n');
  expect(told).toEqual(['ensureModuleGraphEntry ./a.test.ts%3Fvitest', 'other node:path']);
});

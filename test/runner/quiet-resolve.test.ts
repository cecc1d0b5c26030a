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

const TWICE = `
import module from 'node:module';
module.registerHooks({
  resolve(specifier, context, next) {
    console.log('looked for', specifier);
    return next(specifier, context);
  },
});
module.registerHooks({
  resolve: (specifier, context, next) => (specifier === 'ensureModuleGraphEntry' ? undefined : next(specifier, context)),
});
const one = await import('./packages/core/src/kit/is-record.ts');
const same = await import('./packages/../packages/core/src/kit/is-record.ts');
console.log(one === same);
await import('./packages/core/src/kit/no-such.ts').catch(({ code }) => console.log(code));
`;

it('a source file is looked for once, and one that does not exist is named', () => {
  const args = ['--import', PRELOAD, '--input-type=module', '-e', TWICE];
  const cwd = join(import.meta.dirname, '../..');
  const told = execFileSync(process.execPath, args, { encoding: 'utf8', cwd }).trim().split('\n');
  expect(told).toEqual([
    'looked for ./packages/core/src/kit/is-record.ts',
    'true',
    'looked for ./packages/core/src/kit/no-such.ts',
    'ERR_MODULE_NOT_FOUND',
  ]);
});

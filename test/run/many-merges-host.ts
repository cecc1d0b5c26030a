/**
 * Process that merges branches. Its arguments are the repository, `checked` or `unchecked`, and the branches. It
 * ends with 0 if all have landed.
 */
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';

const [cwd = '', kind = '', ...names] = process.argv.slice(2);
const check = kind === 'checked' ? { sandbox: noSandbox(), check: () => undefined } : {};
const { merged, kept } = await merge(names, { cwd, ...check, timeouts: { mergeToHostMs: 600_000 } });
for (const { branch, error } of kept) process.stderr.write(`${branch} ${error.message}\n`);
process.exitCode = merged.length === names.length ? 0 : 1;

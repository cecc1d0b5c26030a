/** Program of a crowd of merges: lands branches whose numbers no landed branch has, and prints what it did. */
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { forgetQuickFork } from '../runner/quick-fork.ts';

forgetQuickFork();
const [cwd = '', ...branches] = process.argv.slice(2);
const { merged, kept } = await merge(branches, {
  cwd,
  sandbox: noSandbox(),
  timeouts: { mergeToHostMs: 300_000, gitSetupMs: 300_000 },
  check: async ({ exec }) => {
    const { stdout } = await exec('cat id-* | sort | uniq -d');
    return stdout === '' ? undefined : `Twice: ${stdout}`;
  },
});
const landed = merged.map(({ branch }) => branch);
const refused = kept.map(({ branch, error }) => ({ branch, code: error.code }));
process.stdout.write(JSON.stringify({ landed, refused }));

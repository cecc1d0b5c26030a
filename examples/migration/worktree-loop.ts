/**
 * Runs several times in one worktree. Each run is merged into the branch that the worktree came
 * from.
 */
import { claudeCode, createWorktree } from 'truecast/sandcastle';
import { noSandbox } from 'truecast/sandboxes/no-sandbox';

const worktree = await createWorktree({ branchStrategy: { type: 'merge-to-head' } });
try {
  const run = await worktree.run({
    agent: claudeCode('claude-opus-4-8'),
    sandbox: noSandbox(),
    prompt: 'Write greeting.txt and commit it.',
    env: { GREETING: 'hello' },
  });
  console.log(`merged ${run.commits.map(({ sha }) => sha.slice(0, 7)).join(', ')} into ${run.branch}`);

  await using sandbox = await worktree.createSandbox({ sandbox: noSandbox() });
  const listed = await sandbox.exec('git ls-files');
  console.log(listed.stdout.trim());
} finally {
  const { preservedWorktreePath } = await worktree.close();
  console.log(`kept: ${preservedWorktreePath ?? 'nothing'}`);
}

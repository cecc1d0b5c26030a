/** Implements on a branch in a warm sandbox, runs the tests, and has the work reviewed there. */
import { claudeCode, createSandbox } from 'truecast/sandcastle';
import { noSandbox } from 'truecast/sandboxes/no-sandbox';

await using sandbox = await createSandbox({
  branch: 'agent/greeting',
  sandbox: noSandbox(),
  hooks: { sandbox: { onSandboxReady: [{ command: 'git status --short' }] } },
});

const implemented = await sandbox.run({
  agent: claudeCode('claude-opus-4-8'),
  prompt: 'Write greeting.txt and commit it.',
  maxIterations: 3,
  completionSignal: '<promise>COMPLETE</promise>',
});
if (implemented.commits.length === 0) throw new Error('Nothing was implemented.');

const tests = await sandbox.exec('test -s greeting.txt', { onLine: (line) => console.log(line) });
const reviewed = await implemented.resume?.('Review what you wrote. Answer LGTM or what to change.');

console.log(`tests: ${tests.exitCode}, signal: ${implemented.completionSignal ?? 'none'}`);
console.log(`review: ${reviewed?.stdout.trim() ?? 'none'}`);

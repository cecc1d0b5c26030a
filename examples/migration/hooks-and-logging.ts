/** Prepares the worktree, and logs the agent's events while it works. */
import { claudeCode, run } from 'truecast/sandcastle';
import { noSandbox } from 'truecast/sandboxes/no-sandbox';

const tools: string[] = [];
let words = '';

const result = await run({
  agent: claudeCode('claude-opus-4-8'),
  sandbox: noSandbox(),
  branchStrategy: { type: 'branch', branch: 'agent/logged' },
  copyToWorktree: ['settings.local'],
  hooks: {
    host: { onWorktreeReady: [{ command: 'test -f settings.local' }] },
    sandbox: { onSandboxReady: [{ command: 'echo ready > ready.txt', timeoutMs: 10_000 }] },
  },
  prompt: 'Write greeting.txt and commit it.',
  idleTimeoutSeconds: 120,
  timeouts: { gitSetupMs: 60_000 },
  logging: {
    type: 'file',
    path: '.truecast/logs/watched.log',
    onAgentStreamEvent(event) {
      if (event.type === 'toolCall') tools.push(`${event.name}(${event.formattedArgs})`);
      if (event.type === 'text') words += event.message;
    },
  },
});

console.log(`tools: ${tools.join('; ')}`);
console.log(`words: ${words.trim()}`);
console.log(`log: ${result.logFilePath ?? 'none'}, kept: ${result.preservedWorktreePath !== undefined}`);

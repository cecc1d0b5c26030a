/** Runs an agent and a sandbox of one's own. */
import { spawn } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { createBindMountSandboxProvider, Output, run, type LineAgentProvider } from 'truecast';

const echo: LineAgentProvider = {
  name: 'echo',
  env: {},
  captureSessions: false,
  buildPrintCommand: ({ prompt }) => ({ command: 'cat', stdin: prompt }),
  parseStreamLine: (line) => [{ type: 'text', text: line }],
};

const local = createBindMountSandboxProvider({
  name: 'local',
  env: { FROM_SANDBOX: 'yes' },
  create: async ({ worktreePath, env }) => ({
    worktreePath,
    exec: (command, options = {}) =>
      new Promise((resolve, reject) => {
        const child = spawn('sh', ['-c', command], {
          cwd: options.cwd ?? worktreePath,
          env: { ...process.env, ...env },
        });
        let stdout = '';
        let stderr = '';
        let rest = '';
        child.stdout.on('data', (chunk: Buffer) => {
          stdout += chunk.toString();
          const lines = (rest + chunk.toString()).split('\n');
          rest = lines.pop() ?? '';
          lines.forEach((line) => options.onLine?.(line));
        });
        child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
        child.on('error', reject);
        child.on('close', (code) => {
          if (rest !== '') options.onLine?.(rest);
          resolve({ stdout, stderr, exitCode: code ?? 1 });
        });
        child.stdin.end(options.stdin ?? '');
      }),
    copyFileIn: (hostPath, sandboxPath) => copyFile(hostPath, sandboxPath),
    copyFileOut: (sandboxPath, hostPath) => copyFile(sandboxPath, hostPath),
    close: async () => {},
  }),
});

const { output } = await run({
  agent: echo,
  sandbox: local,
  prompt: '<answer>forty-two</answer>',
  output: Output.string({ tag: 'answer' }),
});
console.log(output);

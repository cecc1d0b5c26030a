/** Runs a custom agent in a custom sandbox. */
import { spawn, type ChildProcess } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { createBindMountSandboxProvider, Output, run, type AgentProvider } from 'truecast/sandcastle';

const echo: AgentProvider = {
  name: 'echo',
  env: {},
  captureSessions: false,
  buildPrintCommand: ({ prompt }) => ({ command: 'cat', stdin: prompt }),
  parseStreamLine: (line) => [{ type: 'text', text: line }],
};

/** An aborted run closes the sandbox, which ends its agent. */
const running = new Set<ChildProcess>();

const local = createBindMountSandboxProvider({
  name: 'local',
  env: { FROM_SANDBOX: 'yes' },
  create: async ({ worktreePath, env }) => ({
    worktreePath,
    exec: (command, options = {}) =>
      new Promise((resolve, reject) => {
        // A separate process group, so that `close` ends the command and all its child processes.
        const child = spawn('sh', ['-c', command], {
          cwd: options.cwd ?? worktreePath,
          env: { ...process.env, ...env },
          detached: true,
        });
        running.add(child);
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
          running.delete(child);
          if (rest !== '') options.onLine?.(rest);
          resolve({ stdout, stderr, exitCode: code ?? 1 });
        });
        child.stdin.end(options.stdin ?? '');
      }),
    copyFileIn: (hostPath, sandboxPath) => copyFile(hostPath, sandboxPath),
    copyFileOut: (sandboxPath, hostPath) => copyFile(sandboxPath, hostPath),
    close: async () => {
      for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    },
  }),
});

const { output } = await run({
  agent: echo,
  sandbox: local,
  prompt: '<answer>forty-two</answer>',
  output: Output.string({ tag: 'answer' }),
});
console.log(output);

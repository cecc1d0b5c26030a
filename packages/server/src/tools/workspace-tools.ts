/** Workspace tools: read, write, edit, list and search files, and run commands. */
import { z } from 'zod';
import { traceEnvironment } from '@truecast/model/internal/telemetry/traceparent';
import { OwnerPlaces } from '../pacing/owner-places.ts';
import { defineTool } from './define-tool.ts';
import { inside, shellQuote, quoteFile, workspacePath } from './inside-workspace.ts';
import {
  toolFailure,
  toolSuccess,
  type ServerTool,
  type ToolContext,
  type ToolOutcome,
} from './server-tool.ts';
import type { WorkspaceExecResult, WorkspaceProvider } from './workspace.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_SECONDS = 600;
const DEFAULT_LINES = 2_000;
const MAX_MATCHES = 200;

/**
 * Returns the tools of a workspace. None for a chat without one.
 *
 * @param processes - places of their commands. A command that waits for one holds no slot of its turn
 */
export function workspaceTools(
  workspaces: WorkspaceProvider,
  processes: OwnerPlaces = new OwnerPlaces(Infinity),
): readonly ServerTool[] {
  const run = runner(workspaces, processes);
  return [readFile(run), listFiles(run), searchFiles(run), writeFile(run), editFile(run), runCommand(run)];
}

type Run = (
  context: ToolContext,
  command: string,
  options?: { readonly stdin?: string; readonly timeoutMs?: number },
) => Promise<WorkspaceExecResult>;

function runner(workspaces: WorkspaceProvider, processes: OwnerPlaces): Run {
  return async (
    { workspaceId, ownerId, signal, whileWaiting, ...trace },
    command,
    { stdin, timeoutMs = DEFAULT_TIMEOUT_MS } = {},
  ) => {
    if (!processes.take(ownerId)) await whileWaiting(() => processes.wait(ownerId, signal));
    try {
      const workspace = await workspaces.open(workspaceId);
      return await workspace.exec(command, {
        signal,
        timeoutMs,
        ...(trace.traceparent !== undefined && { env: traceEnvironment(trace) }),
        ...(stdin !== undefined && { stdin }),
      });
    } finally {
      processes.giveBack(ownerId);
    }
  };
}

function readFile(run: Run): ServerTool {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a text file. Read a long file in pieces: pass the first line and the number of lines.',
    input: z.object({
      path: workspacePath,
      from_line: z.int().min(1).default(1),
      lines: z.int().min(1).max(10_000).default(DEFAULT_LINES),
    }),
    readOnlyHint: true,
    idempotentHint: true,
    run: async (input, context) => {
      const last = input.from_line + input.lines - 1;
      return toOutcome(
        await run(
          context,
          inside(
            input.path,
            `sed -n ${shellQuote(`${input.from_line},${last}p;${last}q`)} -- ${quoteFile(input.path)}`,
          ),
        ),
      );
    },
  });
}

function listFiles(run: Run): ServerTool {
  return defineTool({
    name: 'list_files',
    description: 'Lists the files under a folder, one path per line, without hidden folders.',
    input: z.object({ path: workspacePath.default('.') }),
    readOnlyHint: true,
    idempotentHint: true,
    run: async (input, context) =>
      toOutcome(
        await run(
          context,
          inside(
            input.path,
            `find ${quoteFile(input.path)} -name '.?*' -prune -o -type f -print | LC_ALL=C sort | head -n 5000`,
          ),
        ),
      ),
  });
}

function searchFiles(run: Run): ServerTool {
  return defineTool({
    name: 'search_files',
    description: `Finds lines that match an extended regular expression (POSIX), with file and line; at most ${MAX_MATCHES}.`,
    input: z.object({ pattern: z.string().min(1), path: workspacePath.default('.') }),
    readOnlyHint: true,
    idempotentHint: true,
    run: async (input, context) => {
      const found = await run(
        context,
        inside(
          input.path,
          `grep -rnIE --exclude-dir=.git -e ${shellQuote(input.pattern)} -- ${quoteFile(input.path)}`,
        ),
      );
      if (found.exitCode === 1 && found.stderr === '') return toolSuccess('Nothing matches.');
      const lines = found.stdout.split('\n');
      return found.exitCode === 0 ? toolSuccess(lines.slice(0, MAX_MATCHES).join('\n')) : toOutcome(found);
    },
  });
}

function writeFile(run: Run): ServerTool {
  return defineTool({
    name: 'write_file',
    description: 'Writes a whole text file; creates its folders, and replaces the old content.',
    input: z.object({ path: workspacePath, text: z.string() }),
    idempotentHint: true,
    run: async (input, context) => {
      const written = await write(run, context, input.path, input.text);
      return written.exitCode === 0 ? toolSuccess(`Wrote ${input.path}.`) : toOutcome(written);
    },
  });
}

function editFile(run: Run): ServerTool {
  return defineTool({
    name: 'edit_file',
    description: 'Replaces a piece of a text file. The old text must occur in it exactly once.',
    input: z.object({ path: workspacePath, old_text: z.string().min(1), new_text: z.string() }),
    run: async (input, context) => {
      const before = await run(context, inside(input.path, `cat -- ${quoteFile(input.path)}`));
      if (before.exitCode !== 0) return toOutcome(before);
      const count = before.stdout.split(input.old_text).length - 1;
      if (count !== 1) {
        return toolFailure(`\`old_text\` occurs ${count} times in ${input.path}; it must occur there once.`);
      }
      const at = before.stdout.indexOf(input.old_text);
      const text =
        before.stdout.slice(0, at) + input.new_text + before.stdout.slice(at + input.old_text.length);
      const written = await write(run, context, input.path, text);
      return written.exitCode === 0 ? toolSuccess(`Changed ${input.path}.`) : toOutcome(written);
    },
  });
}

function runCommand(run: Run): ServerTool {
  return defineTool({
    name: 'run_command',
    description: 'Runs a POSIX shell command in the workspace, and returns its output and exit code.',
    input: z.object({
      command: z.string().min(1),
      timeout_seconds: z
        .int()
        .min(1)
        .max(MAX_TIMEOUT_SECONDS)
        .default(DEFAULT_TIMEOUT_MS / 1_000),
    }),
    run: async (input, context) => {
      const done = await run(context, input.command, { timeoutMs: input.timeout_seconds * 1_000 });
      return {
        result: { exit_code: done.exitCode, stdout: done.stdout, stderr: done.stderr },
        isError: done.exitCode !== 0,
      };
    },
  });
}

function write(run: Run, context: ToolContext, file: string, text: string): Promise<WorkspaceExecResult> {
  const target = quoteFile(file);
  return run(context, inside(file, `mkdir -p -- "$(dirname -- ${target})" && cat > ${target}`), {
    stdin: text,
  });
}

function toOutcome({ stdout, stderr, exitCode }: WorkspaceExecResult): ToolOutcome {
  return exitCode === 0
    ? toolSuccess(stdout)
    : toolFailure(stderr.trim() || `Ended with exit code ${exitCode}.`);
}

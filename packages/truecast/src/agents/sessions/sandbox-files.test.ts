import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxExecOptions, SandboxExecResult, SandboxHandle } from '../../ports/sandbox-provider.ts';
import { copyLinesOut, sandboxFiles } from './sandbox-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'truecast-session-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

type Report = (stdout: string, options: SandboxExecOptions) => Partial<SandboxExecResult>;

/** How sandboxes of callers report the output of a command. */
const REPORTS = {
  streams: (stdout, { onLine }) => {
    for (const line of stdout.split('\n').slice(0, -1)) onLine?.(line);
    return { stdout };
  },
  returns: (stdout) => ({ stdout }),
  'streams without the result': (stdout, { onLine }) => {
    for (const line of stdout.split('\n').slice(0, -1)) onLine?.(line);
    return {};
  },
} satisfies Record<string, Report>;

/** Sandboxes that lose a part of the output, or all of it. */
const LOSSES = {
  'streams the first line only': (stdout, { onLine }) => {
    onLine?.(stdout.split('\n')[0] ?? '');
    return {};
  },
  'streams half, and returns the other half': (stdout, { onLine }) => {
    onLine?.(stdout.split('\n')[0] ?? '');
    return { stdout: stdout.slice(stdout.indexOf('\n') + 1) };
  },
  'returns a cut text': (stdout) => ({ stdout: stdout.slice(0, 8), isOutputCut: true }),
  'returns the last part': (stdout) => ({ stdout: stdout.slice(-60) }),
  'reports nothing': () => ({}),
} satisfies Record<string, Report>;

function handleOf(report: Report): SandboxHandle {
  return {
    worktreePath: folder,
    exec: async (command, options = {}) => {
      const stdout = execFileSync('sh', ['-c', command], { encoding: 'utf8', input: options.stdin ?? '' });
      return { stdout: '', stderr: '', exitCode: 0, ...report(stdout, options) };
    },
    close: async () => undefined,
  };
}

async function copy(report: Report, content: string): Promise<string> {
  const source = join(folder, 'source.jsonl');
  writeFileSync(source, content);
  const target = join(folder, 'host', 'session.jsonl');
  await copyLinesOut(sandboxFiles(handleOf(report), '""', {}, []), source, target, (line) => line);
  return readFileSync(target, 'utf8');
}

const SESSION = `{"type":"user","n":1}\n{"type":"assistant","text":"${'x'.repeat(200)}"}\n{"type":"end"}\n`;

describe('a session that is copied out of a sandbox of a caller', () => {
  it.each(Object.entries(REPORTS))('is complete if it %s the output', async (_how, report) => {
    expect(await copy(report, SESSION)).toBe(SESSION);
  });

  it.each(Object.entries(REPORTS))('is complete without a last newline if it %s', async (_how, report) => {
    expect(await copy(report, SESSION.trimEnd())).toBe(SESSION);
  });

  it.each(Object.entries(LOSSES))('replaces no earlier copy if it %s', async (_how, report) => {
    await copy(REPORTS.streams, SESSION);
    await expect(copy(report, SESSION)).rejects.toMatchObject({ name: 'SandboxError', code: 'copy' });
    expect(readFileSync(join(folder, 'host', 'session.jsonl'), 'utf8')).toBe(SESSION);
    expect(readdirSync(join(folder, 'host'))).toEqual(['session.jsonl']);
  });

  it.each(Object.entries(REPORTS))('is not stored if it is empty (%s)', async (_how, report) => {
    await expect(copy(report, '')).rejects.toMatchObject({ name: 'SandboxError', code: 'copy' });
    expect(existsSync(join(folder, 'host', 'session.jsonl'))).toBe(false);
  });
});

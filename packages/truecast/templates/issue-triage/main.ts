/**
 * Triages issues, a few at a time, into `.truecast/triage.jsonl`. A second run handles only new
 * issues.
 *
 * Run it: `node .truecast/main.ts`
 */
import { execSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { Output, runBatch } from 'truecast';
import { z } from 'zod';
import { agent, maxCorrections, sandbox } from './agent.ts';

/** Prints the issues as JSON. Any tracker works that returns these three fields. */
const LIST_ISSUES =
  process.env['ISSUES_COMMAND'] ?? 'gh issue list --state open --limit 100 --json number,title,body';
const MAX_AT_ONCE = 3;

const cwd = dirname(import.meta.dirname);
const out = join(import.meta.dirname, 'triage.jsonl');

const issueList = z.array(z.object({ number: z.number(), title: z.string(), body: z.string() }));
const triage = z.object({
  kind: z.enum(['bug', 'feature', 'question', 'other']),
  severity: z.enum(['critical', 'high', 'medium', 'low']),
  files: z.array(z.string()),
  nextStep: z.string().min(1),
});

const listed = execSync(LIST_ISSUES, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const issues = issueList.parse(JSON.parse(listed));

const { ok, failed, okEarlier } = await runBatch({
  agent,
  sandbox,
  cwd,
  name: 'triage',
  // Untrusted text from an issue is inserted as plain text: it cannot become a command or a
  // placeholder.
  inputs: issues.map((issue) => ({ id: issue.number, ...issue })),
  promptFile: join(import.meta.dirname, 'prompt.md'),
  readOnly: true,
  concurrency: MAX_AT_ONCE,
  out,
  output: Output.object({ tag: 'result', schema: triage, maxCorrections }),
  onResult(result) {
    const told =
      result.status === 'ok'
        ? `${result.output?.severity} ${result.output?.kind}: ${result.output?.nextStep}`
        : `failed: ${result.error.message}`;
    console.log(`#${result.id} ${told}`);
  },
});

console.log(`${ok} triaged, ${failed} failed, ${okEarlier} known before: ${out}`);
if (failed > 0) process.exitCode = 1;

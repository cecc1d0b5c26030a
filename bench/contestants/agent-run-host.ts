/**
 * Process of one contestant that runs programs as agents: takes one `AgentRunRequest` at a time,
 * and replies with an `AgentRunReply`.
 */
import { peakMemory } from '../harness/peak-memory.ts';
import { readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentRunner, AgentRunReply, AgentRunRequest } from './agent-run.ts';

/** The contestants. */
export type RunnerName = 'truecast' | 'truecast in bubblewrap' | 'sandcastle' | 'by hand';

const RUNNERS: Record<RunnerName, () => Promise<AgentRunner>> = {
  truecast: async () => (await import('./run-truecast.ts')).runTruecast,
  'truecast in bubblewrap': async () => (await import('./run-truecast.ts')).runTruecastInBubblewrap,
  sandcastle: async () => (await import('./run-sandcastle.ts')).loadSandcastle(),
  'by hand': async () => (await import('./run-by-hand.ts')).runByHand,
};

async function reply(runner: AgentRunner, request: AgentRunRequest): Promise<AgentRunReply> {
  const trace = join(homedir(), 'git-trace.jsonl');
  if (request.tracesGit === true) process.env['GIT_TRACE2_EVENT'] = trace;
  const startedAt = performance.now();
  const outcome = await runner(request);
  const ms = performance.now() - startedAt;
  delete process.env['GIT_TRACE2_EVENT'];
  const gitCommands = request.tracesGit === true ? await readTrace(trace) : [];
  return { ...outcome, ms, maxRssBytes: peakMemory(), gitCommands };
}

async function readTrace(path: string): Promise<string[]> {
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  await rm(path);
  return lines.flatMap((line) => {
    const event = JSON.parse(line) as { readonly event: string; readonly argv?: readonly string[] }; // Git documents the format.
    return event.event === 'start' ? [(event.argv ?? []).slice(1).join(' ')] : [];
  });
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit());
  const runner = await RUNNERS[process.argv[2] as RunnerName](); // Started by the benches only.
  process.on('message', (request: AgentRunRequest) => {
    void reply(runner, request).then((result) => process.send?.(result));
  });
}

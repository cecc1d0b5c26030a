/**
 * Jobs for coding agents: sends one agent run for each argument to a server, and prints the typed answers. The
 * server and its workers are `truecast serve`, with `truecast.config.ts` beside this file.
 */
import { createClient, Output, RunEndedError } from '@truecast/client';
import { z } from 'zod';

const client = createClient({
  baseURL: process.env['TRUECAST_URL'] ?? 'http://127.0.0.1:4747',
  token: process.env['TRUECAST_TOKEN'],
});
const output = Output.object({ schema: z.object({ cause: z.string() }) });

async function fix(issue: string): Promise<string> {
  try {
    const result = await client.runs.run({
      repository: 'web',
      agent: 'claude-code',
      prompt: `Fix this issue, and commit your work: ${issue}`,
      output,
      metadata: { issue },
    });
    return `${issue}: ${result.output.cause}, ${result.commits.length} commits on ${result.branch}`;
  } catch (error) {
    // The receipt has the commits of a run that failed too.
    if (RunEndedError.isInstance(error)) return `${issue}: ${error.code}. ${error.message}`;
    throw error;
  }
}

for (const line of await Promise.all(process.argv.slice(2).map(fix))) console.log(line);

/** Tests of D8: an agent that commits, and then asks or declines. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { commitLine, git, makeRepository } from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { AGENT_ROUTES, type AgentRouteName } from './routes/agent-routes.ts';
import { runCommand } from './routes/command.ts';

const ENDINGS = {
  question: '{"question":{"text":"Which?"}}',
  declined: '{"declined":"unsafe"}',
} as const;

const output = Output.object({
  tag: 'result',
  schema: z.object({ answer: z.number() }),
  question: true,
  decline: true,
});

const scriptOf = (said: string): string => `${commitLine('work.txt')}; echo '<result>${said}</result>'`;

/** Subjects of the commits that no branch but that of the run has. */
function keptWork(repository: string): string {
  return git(repository, 'log', '--format=%s', '--branches', '--not', 'main');
}

async function holdBack(route: AgentRouteName, expected: object = { isAccepted: true }): Promise<void> {
  for (const [ending, said] of Object.entries(ENDINGS)) {
    const repository = makeRepository();
    const outcome = await AGENT_ROUTES[route]({
      repository,
      // The client sends a schema whose root is no object in one.
      script: scriptOf(route === 'runs' ? `{"value":${said}}` : said),
      strategy: 'merge-to-head',
      options: { output },
    });
    expect(outcome, ending).toMatchObject(expected);
    expect(git(repository, 'log', '--format=%s', 'main'), ending).toBe('begin');
    expect(keptWork(repository), ending).toBe('add work.txt');
  }
}

async function exitWithOutcome(): Promise<void> {
  for (const [said, exitCode] of [
    [ENDINGS.question, 4],
    [ENDINGS.declined, 5],
  ] as const) {
    const repository = makeRepository();
    const agent = join(repository, '..', 'agent.sh');
    writeFileSync(agent, scriptOf(said));
    const schema = '{"type":"object","properties":{"answer":{"type":"number"}},"required":["answer"]}';
    const args = ['run', 'Work.', '--agent', `command:sh ${agent}`, '--sandbox', 'none', '--merge'];
    const more = ['--schema', schema, '--question', '--decline'];
    expect(await runCommand({ cwd: repository, args: [...args, ...more] })).toMatchObject({ exitCode });
    expect(git(repository, 'log', '--format=%s', 'main')).toBe('begin');
    expect(keptWork(repository)).toBe('add work.txt');
  }
}

declareGuarantee('D8', {
  'run/none': () => holdBack('run/none'),
  'run/bubblewrap': () => holdBack('run/bubblewrap'),
  'run/podman': () => holdBack('run/podman'),
  kept: () => holdBack('kept'),
  batch: () => holdBack('batch', { isAccepted: false }),
  runs: inBubblewrap(() => holdBack('runs')),
  command: exitWithOutcome,
});

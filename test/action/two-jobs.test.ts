/** The reusable workflow: the rights of its two jobs, and what passes between them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const stepSchema = z.object({
  id: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).default({}),
  env: z.record(z.string(), z.string()).default({}),
});
const jobSchema = z.object({
  permissions: z.record(z.string(), z.string()),
  if: z.string().optional(),
  needs: z.string().optional(),
  steps: z.array(stepSchema),
});
const { permissions, jobs } = z
  .object({ permissions: z.object({}).strict(), jobs: z.object({ agent: jobSchema, publish: jobSchema }) })
  .parse(parse(readFileSync(join(import.meta.dirname, '../../.github/workflows/agent.yml'), 'utf8')));
const used = (job: z.infer<typeof jobSchema>, name: string): readonly z.infer<typeof stepSchema>[] =>
  job.steps.filter(({ uses }) => uses?.startsWith(name) === true);

it('gives the agent no right to write and no token', () => {
  expect(permissions).toEqual({});
  expect(jobs.agent.permissions).toEqual({ contents: 'read' });
  for (const { with: options } of used(jobs.agent, 'actions/checkout')) {
    expect(options['persist-credentials']).toBe(false);
  }
  expect(JSON.stringify(jobs.agent.steps)).not.toMatch(/github\.token|GITHUB_TOKEN|GH_TOKEN/u);
  const [step] = used(jobs.agent, './.truecast-action');
  expect(step?.with).toMatchObject({ egress: 'model' });
  expect(step?.with['step'] ?? 'agent').toBe('agent');
});

it('runs no agent where it can write, and publishes a valid answer only', () => {
  expect(jobs.publish.permissions).toEqual({ contents: 'write', 'pull-requests': 'write' });
  expect(jobs.publish).toMatchObject({ needs: 'agent' });
  expect(jobs.publish.if).toContain("needs.agent.outputs.status == 'valid'");
  const steps = used(jobs.publish, './.truecast-action');
  expect(steps.map((step) => step.with['step'])).toEqual(['publish']);
  expect(JSON.stringify(jobs.publish.steps)).not.toMatch(/API_KEY|secrets\./u);
});

it('passes a value and a patch between the jobs', () => {
  const [upload] = used(jobs.agent, 'actions/upload-artifact');
  expect(String(upload?.with['path']).trim().split('\n')).toEqual([
    '${{ steps.agent.outputs.value-file }}',
    '${{ steps.agent.outputs.patch-file }}',
  ]);
  const [download] = used(jobs.publish, 'actions/download-artifact');
  expect(download?.with['name']).toBe(upload?.with['name']);
  const [publish] = used(jobs.publish, './.truecast-action');
  expect(publish?.with).toMatchObject({
    'patch-file': `${String(download?.with['path'])}/work.patch`,
    'value-file': `${String(download?.with['path'])}/value.json`,
  });
});

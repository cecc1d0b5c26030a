/** Zod schema of a new agent run, with the rules that its shape cannot express. Pure. */
import { z } from 'zod';
import { createAgentRunMembers, type CreateAgentRunBody } from '@truecast/client/internal/wire/agent-run';
import { branchNameProblem } from '@truecast/core/internal/kit/branch-name-problem';
import { toZodMembers } from './to-zod.ts';
import type { WireSchema } from './wire-schema.ts';

const MAX_METADATA = 16;

export const createAgentRunSchema: WireSchema<CreateAgentRunBody> = z
  .strictObject({
    ...toZodMembers(createAgentRunMembers),
    start_after: z.iso
      .datetime({ error: 'Must be a time in UTC, such as 2026-11-23T12:00:00Z' })
      .exactOptional(),
    metadata: z
      .record(
        z.string().regex(/^[A-Za-z0-9._/-]{1,64}$/u, 'Expected keys of 1 to 64 letters, digits and `._/-`'),
        z.string().max(256),
      )
      .refine(
        (metadata) => Object.keys(metadata).length <= MAX_METADATA,
        `Expected at most ${MAX_METADATA} keys`,
      )
      .exactOptional(),
  })
  .refine(({ tag, mode }) => tag === undefined || mode === undefined, {
    path: ['mode'],
    error: 'Must have either `tag` or `mode`, and not both',
  })
  .superRefine(({ branch }, context) => {
    const problem = branch === undefined ? undefined : branchNameProblem(branch);
    if (problem === undefined) return;
    const message = `Must be a name that git accepts for a branch: it ${problem}`;
    context.addIssue({ code: 'custom', path: ['branch'], message });
  })
  .meta({ ref: 'CreateAgentRun' });

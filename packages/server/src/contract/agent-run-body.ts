/** Zod schemas of agent runs, their follow-ups and changes, and of batches, with the rules that shapes cannot express. Pure. */
import { z } from 'zod';
import { createBatchMembers, type CreateBatchBody } from '@truecast/client/internal/wire/runs/agent-batch';
import {
  createAgentRunMembers,
  type CreateAgentRunBody,
} from '@truecast/client/internal/wire/runs/agent-run';
import {
  continueAgentRunMembers,
  patchAgentRunMembers,
  type ContinueAgentRunBody,
  type PatchAgentRunBody,
} from '@truecast/client/internal/wire/runs/agent-run-changes';
import { branchNameProblem } from '@truecast/core/internal/kit/branch-name-problem';
import { toZodMembers } from './to-zod.ts';
import type { WireSchema } from './wire-schema.ts';

const MAX_METADATA = 16;

type ReadOnlyBody = Pick<CreateAgentRunBody, 'read_only' | 'branch' | 'push'>;

const metadata = z
  .record(
    z.string().regex(/^[A-Za-z0-9._/-]{1,64}$/u, 'Expected keys of 1 to 64 letters, digits and `._/-`'),
    z.string().max(256),
  )
  .refine((values) => Object.keys(values).length <= MAX_METADATA, `Expected at most ${MAX_METADATA} keys`)
  .exactOptional();

const hasOneForm = ({ tag, mode }: Pick<CreateAgentRunBody, 'tag' | 'mode'>): boolean =>
  tag === undefined || mode === undefined;
const isPlaced = ({ read_only, ...body }: ReadOnlyBody, name: 'branch' | 'push'): boolean =>
  read_only === true && body[name] !== undefined;
const NO_PLACE = 'Must be absent with `read_only`, which throws all commits away';
const ONE_FORM = { path: ['mode'], error: 'Must have either `tag` or `mode`, and not both' };

export const createAgentRunSchema: WireSchema<CreateAgentRunBody> = z
  .strictObject({
    ...toZodMembers(createAgentRunMembers),
    start_after: z.iso
      .datetime({ error: 'Must be a time in UTC, such as 2026-11-23T12:00:00Z' })
      .exactOptional(),
    metadata,
  })
  .refine(hasOneForm, ONE_FORM)
  .refine((body) => !isPlaced(body, 'branch'), { path: ['branch'], error: NO_PLACE })
  .refine((body) => !isPlaced(body, 'push'), { path: ['push'], error: NO_PLACE })
  .superRefine(({ branch }, context) => {
    const problem = branch === undefined ? undefined : branchNameProblem(branch);
    if (problem === undefined) return;
    const message = `Must be a name that git accepts for a branch: it ${problem}`;
    context.addIssue({ code: 'custom', path: ['branch'], message });
  })
  .meta({ ref: 'CreateAgentRun' });

export const createBatchSchema: WireSchema<CreateBatchBody> = z
  .strictObject({ ...toZodMembers(createBatchMembers), metadata })
  .refine(hasOneForm, ONE_FORM)
  .refine((body) => !isPlaced(body, 'push'), { path: ['push'], error: NO_PLACE })
  .meta({ ref: 'CreateBatch' });

export const continueAgentRunSchema: WireSchema<ContinueAgentRunBody> = z
  .strictObject(toZodMembers(continueAgentRunMembers))
  .refine(hasOneForm, ONE_FORM)
  .meta({ ref: 'ContinueAgentRun' });

export const patchAgentRunSchema: WireSchema<PatchAgentRunBody> = z
  .strictObject({ ...toZodMembers(patchAgentRunMembers), metadata })
  .meta({ ref: 'PatchAgentRun' });

/** Tool that ends a turn in plan mode. The plan is its result, for the user to read and approve. */
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { toolSuccess, type ServerTool } from './server-tool.ts';

/** Available in plan mode only. */
export const PLAN_TOOL: ServerTool = defineTool({
  name: 'propose_plan',
  description:
    'Proposes a plan to the user and ends the turn. Call it when the plan is complete: the work, its order, and open questions.',
  input: z.object({ plan: z.string().min(1) }),
  isExclusive: true,
  isStopAfter: true,
  readOnlyHint: true,
  idempotentHint: true,
  run: ({ plan }) => Promise.resolve(toolSuccess(plan)),
});

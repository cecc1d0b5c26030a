/** Schema of a process identity that was read from a file. */
import { z } from 'zod';
import type { ProcessIdentity } from './process-identity.ts';

export const processIdentitySchema: z.ZodType<ProcessIdentity> = z.object({
  pid: z.number().int(),
  processStartTime: z.string().optional(),
  bootId: z.string().optional(),
  pidNamespace: z.string().optional(),
  host: z.string(),
});

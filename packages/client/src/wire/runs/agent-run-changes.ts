/** Wire format of follow-ups and changes of agent runs. */
import { boolean, optional, type ObjectOf } from '@truecast/core/internal/shape/shape';
import { createAgentRunMembers } from './agent-run.ts';

export const continueAgentRunMembers = {
  /** The next prompt, or the answer to the question with which the run ended. */
  message: createAgentRunMembers.prompt,
  /** Required with `tag`, `mode` and `max_corrections`. @default these members of the run */
  response_format: createAgentRunMembers.response_format,
  tag: createAgentRunMembers.tag,
  mode: createAgentRunMembers.mode,
  max_corrections: createAgentRunMembers.max_corrections,
  /** Works on a new branch, which begins at the last commit of the run. @default false */
  fork: optional(boolean),
};
/** A follow-up of an agent run that has ended. */
export interface ContinueAgentRunBody extends ObjectOf<typeof continueAgentRunMembers> {}

export const patchAgentRunMembers = {
  /** Of a queued run: higher ones are started first. */
  priority: createAgentRunMembers.priority,
  /** Replaces all values. */
  metadata: createAgentRunMembers.metadata,
};
/** Changes of an agent run. */
export interface PatchAgentRunBody extends ObjectOf<typeof patchAgentRunMembers> {}

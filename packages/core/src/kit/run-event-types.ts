/** Types of the events of a run, in its journal and on the wire. Pure. */

/** `cut`: the journal reached its size limit, and the rest is in the transcript only. */
export const RUN_EVENT_TYPES = [
  'start',
  'sandbox',
  'iteration',
  'session',
  'text',
  'tool_call',
  'tool_result',
  'host_tool',
  'attempt',
  'warning',
  'error',
  'commit',
  'cut',
  'end',
] as const;

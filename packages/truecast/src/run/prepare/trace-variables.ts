/** Trace variables of a run: the W3C trace context of the process, for the agent's environment. Pure. */

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/u;
/** Limits of W3C Trace Context: at most 512 printable characters. */
const TRACESTATE = /^[\u0020-\u007E]{1,512}$/u;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the `TRACEPARENT` of a process, with its `TRACESTATE`. Empty for an invalid one, and if
 * `declared` has its own trace.
 */
export function traceVariables(
  process: Environment,
  declared: Environment,
): Readonly<Record<string, string>> {
  const { TRACEPARENT: parent = '', TRACESTATE: state = '' } = process;
  if (Object.hasOwn(declared, 'TRACEPARENT') || !TRACEPARENT.test(parent)) return {};
  return { TRACEPARENT: parent, ...(TRACESTATE.test(state) && { TRACESTATE: state }) };
}

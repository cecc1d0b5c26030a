/**
 * System call filter of a guest, as a seccomp program (classic BPF). Pure.
 *
 * Namespaces do not cover everything. Through a virtual machine's socket to its host (AF_VSOCK), a
 * guest can leave a sandbox without a network. All namespaces share the user's keyring. The filter
 * also blocks calls that no build or agent needs and that have had kernel vulnerabilities.
 */

/** System call numbers of one architecture: https://github.com/torvalds/linux/blob/master/arch/x86/entry/syscalls/syscall_64.tbl */
interface Architecture {
  /** Value in `seccomp_data.arch`. */
  readonly audit: number;
  readonly socket: number;
  /** keyctl, add_key, request_key; bpf, perf_event_open, userfaultfd; kexec_load, kexec_file_load. */
  readonly refused: readonly number[];
  /** Numbers from here on belong to another calling convention of the same kernel. */
  readonly end: number;
}

/** io_uring opens sockets itself, past a filter. Its numbers are the same on all architectures. */
const IO_URING = [425, 426, 427];
const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000_003e,
    socket: 41,
    refused: [250, 248, 249, 321, 298, 323, 246, 320, ...IO_URING],
    end: 0x4000_0000,
  },
  arm64: {
    audit: 0xc000_00b7,
    socket: 198,
    refused: [219, 217, 218, 280, 241, 282, 104, 294, ...IO_URING],
    end: 0x4000_0000,
  },
};

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: the families that a network namespace covers. */
const FAMILIES = [1, 2, 10, 16];

const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const FIRST_ARGUMENT_OFFSET = 16;
const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_NOT_LESS = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const ERRNO = 0x0005_0000;
/** ENOSYS: programs with a fallback take this as "the kernel lacks this call". */
const NO_SUCH_CALL = ERRNO | 38;
/** EAFNOSUPPORT. */
const NO_SUCH_FAMILY = ERRNO | 97;
const BYTES_PER_INSTRUCTION = 8;

/** Return value of a filter for a call. */
type Outcome = number;

/**
 * One step: an operation, and its targets if the comparison is true or false. An undefined target
 * means the next step.
 */
interface Step {
  readonly code: number;
  readonly value: number;
  readonly whenTrue?: Outcome;
  readonly whenFalse?: Outcome;
}

/**
 * Returns the filter's bytes in the kernel's format. Undefined for an unsupported architecture.
 *
 * Programs of another architecture, such as 32-bit ones, cannot make any call, because their call
 * numbers differ.
 */
export function syscallFilter(architecture: string): Uint8Array | undefined {
  const known = ARCHITECTURES[architecture];
  if (known === undefined) return undefined;
  return assemble([
    { code: LOAD, value: ARCHITECTURE_OFFSET },
    { code: JUMP_IF_EQUAL, value: known.audit, whenFalse: NO_SUCH_CALL },
    { code: LOAD, value: NUMBER_OFFSET },
    { code: JUMP_IF_NOT_LESS, value: known.end, whenTrue: NO_SUCH_CALL },
    ...known.refused.map((value) => ({ code: JUMP_IF_EQUAL, value, whenTrue: NO_SUCH_CALL }) as const),
    { code: JUMP_IF_EQUAL, value: known.socket, whenFalse: ALLOW },
    { code: LOAD, value: FIRST_ARGUMENT_OFFSET },
    ...FAMILIES.map((value) => ({ code: JUMP_IF_EQUAL, value, whenTrue: ALLOW }) as const),
    { code: RETURN, value: NO_SUCH_FAMILY },
  ]);
}

/** Appends the outcomes to the steps, and converts outcome names to jump distances. */
function assemble(steps: readonly Step[]): Uint8Array {
  const outcomes: readonly Outcome[] = [ALLOW, NO_SUCH_CALL, NO_SUCH_FAMILY];
  const all: readonly Step[] = [...steps, ...outcomes.map((value) => ({ code: RETURN, value }))];
  const view = new DataView(new ArrayBuffer(all.length * BYTES_PER_INSTRUCTION));
  for (const [index, { code, value, whenTrue, whenFalse }] of all.entries()) {
    const distance = (outcome: Outcome | undefined): number =>
      outcome === undefined ? 0 : steps.length + outcomes.indexOf(outcome) - index - 1;
    const at = index * BYTES_PER_INSTRUCTION;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, distance(whenTrue));
    view.setUint8(at + 3, distance(whenFalse));
    view.setUint32(at + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

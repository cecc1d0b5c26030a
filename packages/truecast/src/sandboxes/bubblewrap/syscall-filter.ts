/**
 * System call filter of a guest, as a seccomp program (classic BPF). Pure.
 *
 * Namespaces do not cover everything. Through a virtual machine's socket to its host (AF_VSOCK), a
 * guest can leave a sandbox without a network. All namespaces share the user's keyring. The filter
 * also blocks calls that no build or agent needs and that have had kernel vulnerabilities, and modes
 * that would give another user of the machine the rights of this one (prior art: Nix).
 */

/** System call numbers of one architecture: https://github.com/torvalds/linux/blob/master/arch/x86/entry/syscalls/syscall_64.tbl */
interface Architecture {
  /** Value in `seccomp_data.arch`. */
  readonly audit: number;
  readonly socket: number;
  /** keyctl, add_key, request_key; bpf, perf_event_open, userfaultfd; kexec_load, kexec_file_load. */
  readonly refused: readonly number[];
  /** Calls that set the mode of a file, with the index of the argument that contains it. */
  readonly modes: readonly ModeCall[];
  /** Numbers from here on belong to another calling convention of the same kernel. */
  readonly end: number;
}

/** A call and the indexes of its arguments. */
interface ModeCall {
  readonly number: number;
  readonly mode: number;
  /** Flags of an opening. Without the creation of a file, its mode has no meaning. */
  readonly flags?: number;
}

/** io_uring opens sockets itself, past a filter. Its numbers are the same on all architectures. */
const IO_URING = [425, 426, 427];
/** Its mode is in memory, which a filter cannot read. Programs fall back to `openat`. */
const OPENAT2 = 437;
const FCHMODAT2: ModeCall = { number: 452, mode: 2 };
const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000_003e,
    socket: 41,
    refused: [250, 248, 249, 321, 298, 323, 246, 320, ...IO_URING, OPENAT2],
    // chmod, fchmod, fchmodat, creat, mknod, mknodat, open, openat.
    modes: [
      { number: 90, mode: 1 },
      { number: 91, mode: 1 },
      { number: 268, mode: 2 },
      FCHMODAT2,
      { number: 85, mode: 1 },
      { number: 133, mode: 1 },
      { number: 259, mode: 2 },
      { number: 2, mode: 2, flags: 1 },
      { number: 257, mode: 3, flags: 2 },
    ],
    end: 0x4000_0000,
  },
  arm64: {
    audit: 0xc000_00b7,
    socket: 198,
    refused: [219, 217, 218, 280, 241, 282, 104, 294, ...IO_URING, OPENAT2],
    // fchmod, fchmodat, mknodat, openat.
    modes: [
      { number: 52, mode: 1 },
      { number: 53, mode: 2 },
      FCHMODAT2,
      { number: 33, mode: 2 },
      { number: 56, mode: 3, flags: 2 },
    ],
    end: 0x4000_0000,
  },
};

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: the families that a network namespace covers. */
const FAMILIES = [1, 2, 10, 16];

const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const FIRST_ARGUMENT_OFFSET = 16;
const BYTES_PER_ARGUMENT = 8;
const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_NOT_LESS = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
/** S_ISUID and S_ISGID: a program that another user of the machine starts would run as its owner. */
const SET_ID = 0o6000;
/** O_CREAT and O_TMPFILE. */
const CREATES = 0o20_000_100;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const ERRNO = 0x0005_0000;
/** ENOSYS: programs with a fallback take this as "the kernel lacks this call". */
const NO_SUCH_CALL = ERRNO | 38;
/** EPERM. */
const NOT_PERMITTED = ERRNO | 1;
/** EAFNOSUPPORT. */
const NO_SUCH_FAMILY = ERRNO | 97;
const BYTES_PER_INSTRUCTION = 8;

/** Return value of a filter for a call. */
type Outcome = number;

/**
 * One step: an operation, and its targets if the comparison is true or false. An undefined target
 * means the next step. `skips` is the number of steps to skip if it is false.
 */
interface Step {
  readonly code: number;
  readonly value: number;
  readonly whenTrue?: Outcome;
  readonly whenFalse?: Outcome;
  readonly skips?: number;
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
    ...known.modes.flatMap(modeSteps),
    { code: JUMP_IF_EQUAL, value: known.socket, whenFalse: ALLOW },
    { code: LOAD, value: FIRST_ARGUMENT_OFFSET },
    ...FAMILIES.map((value) => ({ code: JUMP_IF_EQUAL, value, whenTrue: ALLOW }) as const),
    { code: RETURN, value: NO_SUCH_FAMILY },
  ]);
}

/** Refuses a mode with a set-id bit. For another call, the steps keep the loaded number. */
function modeSteps({ number, mode, flags }: ModeCall): readonly Step[] {
  const load = (index: number): Step => ({
    code: LOAD,
    value: FIRST_ARGUMENT_OFFSET + index * BYTES_PER_ARGUMENT,
  });
  const steps: readonly Step[] = [
    ...(flags === undefined
      ? []
      : [load(flags), { code: JUMP_IF_ANY_BIT, value: CREATES, whenFalse: ALLOW } as const]),
    load(mode),
    { code: JUMP_IF_ANY_BIT, value: SET_ID, whenTrue: NOT_PERMITTED, whenFalse: ALLOW },
  ];
  return [{ code: JUMP_IF_EQUAL, value: number, skips: steps.length }, ...steps];
}

/** Appends the outcomes to the steps, and converts outcome names to jump distances. */
function assemble(steps: readonly Step[]): Uint8Array {
  const outcomes: readonly Outcome[] = [ALLOW, NO_SUCH_CALL, NOT_PERMITTED, NO_SUCH_FAMILY];
  const all: readonly Step[] = [...steps, ...outcomes.map((value) => ({ code: RETURN, value }))];
  const view = new DataView(new ArrayBuffer(all.length * BYTES_PER_INSTRUCTION));
  for (const [index, { code, value, whenTrue, whenFalse, skips = 0 }] of all.entries()) {
    const distance = (outcome: Outcome | undefined, otherwise = 0): number =>
      outcome === undefined ? otherwise : steps.length + outcomes.indexOf(outcome) - index - 1;
    const at = index * BYTES_PER_INSTRUCTION;
    view.setUint16(at, code, true);
    view.setUint8(at + 2, distance(whenTrue));
    view.setUint8(at + 3, distance(whenFalse, skips));
    view.setUint32(at + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

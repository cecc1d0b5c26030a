/** Escape attempts by system calls that the filters of bubblewrap and podman refuse. Data. */
import type { EscapeAttempt, SandboxPromise } from './escape-bait.ts';

interface RefusedCall {
  readonly id: string;
  readonly title: string;
  readonly promise?: SandboxPromise;
  /** Numbers on x64 and arm64. */
  readonly numbers: readonly [number, number];
  readonly args: string;
  /** `errno` of bubblewrap's filter. The kernel itself answers with another one, or makes the call. */
  readonly errno: number;
  /** True if podman refuses it with ENOSYS. Its default profile refuses some of the others with EPERM. */
  readonly isRefusedInPodman?: boolean;
}

const NOT_SUPPORTED = 97;
const NO_SUCH_CALL = 38;
const NOT_PERMITTED = 1;

const CALLS: readonly RefusedCall[] = [
  {
    id: 'socket-to-hypervisor',
    title: 'open a socket to the host of a virtual machine',
    promise: 'network',
    numbers: [41, 198],
    args: '40, 1, 0',
    errno: NOT_SUPPORTED,
    isRefusedInPodman: true,
  },
  {
    id: 'io-uring',
    title: 'call io_uring',
    numbers: [425, 425],
    args: '1, 0',
    errno: NO_SUCH_CALL,
    isRefusedInPodman: true,
  },
  { id: 'bpf', title: 'call bpf', numbers: [321, 280], args: '0, 0, 0', errno: NO_SUCH_CALL },
  {
    id: 'keyring',
    title: 'call the kernel’s keyring',
    promise: 'secrets',
    numbers: [250, 219],
    args: '0, -3, 1',
    errno: NO_SUCH_CALL,
    isRefusedInPodman: true,
  },
  {
    id: 'performance-counters',
    title: 'call performance counters',
    numbers: [298, 241],
    args: '0, 0, 0',
    errno: NO_SUCH_CALL,
  },
  { id: 'userfaultfd', title: 'call userfaultfd', numbers: [323, 282], args: '0', errno: NO_SUCH_CALL },
  {
    id: 'load-kernel',
    title: 'ask for another kernel',
    numbers: [246, 104],
    args: '0, 0, 0',
    errno: NO_SUCH_CALL,
  },
  {
    id: 'open-with-hidden-mode',
    title: 'open a file by a call whose mode no filter can see',
    promise: 'code-on-host',
    numbers: [437, 437],
    args: '0, 0, 0',
    errno: NO_SUCH_CALL,
  },
  {
    id: 'set-setuid-bit',
    title: 'set a setuid bit by a system call',
    promise: 'code-on-host',
    numbers: [91, 52],
    args: '1, 04755',
    errno: NOT_PERMITTED,
  },
];

/** Attempts of a program that makes the calls itself. */
export const SYSCALL_ESCAPES: readonly EscapeAttempt[] = CALLS.map(
  ({ id, title, promise = 'processes', numbers, args, errno, isRefusedInPodman = false }) => ({
    id,
    title,
    promise,
    only: ['bubblewrap', ...(isRefusedInPodman ? ['podman'] : [])],
    script: () =>
      `if command -v perl >/dev/null; then perl -e 'print "call ", syscall(${numberOf(numbers)}, ${args}), " ", $! + 0, " made"' || echo 'NOT-TRIED: perl failed in the sandbox'; else echo 'NOT-TRIED: there is no perl in the sandbox'; fi`,
    escaped: (_bait, output) =>
      ![errno, ...(isRefusedInPodman ? [NO_SUCH_CALL] : [])].some((each) =>
        output.includes(`call -1 ${each} made`),
      ),
  }),
);

function numberOf([x64, arm64]: RefusedCall['numbers']): number {
  return process.arch === 'arm64' ? arm64 : x64;
}

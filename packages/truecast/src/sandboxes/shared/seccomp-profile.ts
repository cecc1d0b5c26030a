/**
 * Seccomp profile of podman: its default one, without user namespaces, and without the system calls
 * and socket families that bubblewrap refuses. They make much of the kernel, and the host of a virtual
 * machine, reachable for a guest that has no rights.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson } from '@truecast/core/internal/json/parse-json';

const CLONE_NEWUSER = 0x10_00_00_00;
const NO_SYSTEM_CALL = 38;
const BY_FLAGS = ['clone', 'unshare'];
/** Its flags are in memory, which a filter cannot read. C libraries fall back to `clone`. */
const BY_POINTER = 'clone3';

/**
 * The calls of `bubblewrap/syscall-filter.ts` by name. A filter cannot read the family of
 * `socketcall`, which only 32-bit programs use. `openat2` stays: rights that a guest leaves are removed
 * after the run.
 */
const REFUSED: readonly string[] = [
  'add_key',
  'bpf',
  'io_uring_enter',
  'io_uring_register',
  'io_uring_setup',
  'kexec_file_load',
  'kexec_load',
  'keyctl',
  'perf_event_open',
  'request_key',
  'socketcall',
  'userfaultfd',
];
const SOCKET = 'socket';
/** AF_UNIX, AF_INET, AF_INET6. A network namespace covers them. */
const FAMILIES = [1, 2, 10];
const AF_NETLINK = 16;
const NETLINK_AUDIT = 9;

/**
 * Writes the profile to a folder, and returns its path. Undefined if the default one cannot be
 * read, or lists these calls in another way.
 */
export async function writeSeccompProfile(
  defaultPath: string | undefined,
  folder: string,
): Promise<string | undefined> {
  // The flags of `clone` are in another register there.
  if (defaultPath === undefined || process.arch === 's390x') return undefined;
  const text = await readFile(defaultPath, 'utf8').catch(() => '');
  const parsed = parseJson(text);
  const profile = parsed.success ? narrowedProfile(parsed.value) : undefined;
  if (profile === undefined) return undefined;
  const path = join(folder, 'seccomp.json');
  await writeFile(path, JSON.stringify(profile), { mode: 0o644 });
  return path;
}

/** Returns a profile without what bubblewrap refuses. Undefined if its form is unknown. */
export function narrowedProfile(profile: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(profile) || !Array.isArray(profile['syscalls'])) return undefined;
  const rules: readonly unknown[] = profile['syscalls'];
  const replaced = [...BY_FLAGS, BY_POINTER, SOCKET];
  const without = (rule: unknown, left: readonly string[]): unknown => {
    if (!isRecord(rule) || !Array.isArray(rule['names'])) return rule;
    const names: readonly unknown[] = rule['names'];
    return { ...rule, names: names.filter((name) => !left.some((one) => one === name)) };
  };
  const isEmpty = (rule: unknown): boolean =>
    isRecord(rule) && Array.isArray(rule['names']) && rule['names'].length === 0;
  const kept = rules
    // An error rule for some sockets would conflict with the rules of the families.
    .map((rule) =>
      without(
        rule,
        isRecord(rule) && rule['action'] === 'SCMP_ACT_ALLOW' ? [...replaced, ...REFUSED] : [SOCKET],
      ),
    )
    .filter((rule) => !isEmpty(rule));
  const allowed = {
    names: BY_FLAGS,
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: CLONE_NEWUSER, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
  };
  const sockets = [
    ...FAMILIES.map((value) => [argument(0, value)]),
    // As in the default profile: a container has no audit of the kernel.
    [argument(0, AF_NETLINK), { ...argument(2, NETLINK_AUDIT), op: 'SCMP_CMP_NE' }],
  ].map((args) => ({ names: [SOCKET], action: 'SCMP_ACT_ALLOW', args }));
  const absent = { names: [BY_POINTER], action: 'SCMP_ACT_ERRNO', errnoRet: NO_SYSTEM_CALL };
  const isDefault = profile['defaultErrnoRet'] === NO_SYSTEM_CALL;
  return { ...profile, syscalls: [...kept, allowed, ...sockets, ...(isDefault ? [] : [absent])] };
}

function argument(index: number, value: number): Readonly<Record<string, unknown>> {
  return { index, value, valueTwo: 0, op: 'SCMP_CMP_EQ' };
}

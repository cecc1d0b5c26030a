/**
 * Seccomp profile of podman: its default one, without user namespaces. They make much of the kernel
 * reachable for a guest that has no rights. The default profile of docker forbids them too.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '@truecast/core/internal/errors/base/is-record';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';

const CLONE_NEWUSER = 0x10_00_00_00;
const NO_SYSTEM_CALL = 38;
const BY_FLAGS = ['clone', 'unshare'];
/** Its flags are in memory, which a filter cannot read. C libraries fall back to `clone`. */
const BY_POINTER = 'clone3';

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
  const profile = parsed.success ? withoutUserNamespaces(parsed.value) : undefined;
  if (profile === undefined) return undefined;
  const path = join(folder, 'seccomp.json');
  await writeFile(path, JSON.stringify(profile), { mode: 0o644 });
  return path;
}

/** Returns a profile without user namespaces. Undefined if its form is unknown. */
export function withoutUserNamespaces(profile: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(profile) || !Array.isArray(profile['syscalls'])) return undefined;
  const rules: readonly unknown[] = profile['syscalls'];
  const kept: unknown[] = rules.map((rule) => {
    if (!isRecord(rule) || !Array.isArray(rule['names']) || rule['action'] !== 'SCMP_ACT_ALLOW') return rule;
    const names: readonly unknown[] = rule['names'];
    return { ...rule, names: names.filter((name) => ![...BY_FLAGS, BY_POINTER].some((one) => one === name)) };
  });
  const allowed = {
    names: BY_FLAGS,
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value: CLONE_NEWUSER, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
  };
  const absent = { names: [BY_POINTER], action: 'SCMP_ACT_ERRNO', errnoRet: NO_SYSTEM_CALL };
  const isDefault = profile['defaultErrnoRet'] === NO_SYSTEM_CALL;
  return { ...profile, syscalls: [...kept, allowed, ...(isDefault ? [] : [absent])] };
}

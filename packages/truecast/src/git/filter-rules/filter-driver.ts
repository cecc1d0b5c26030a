/** Filter drivers: parses `filter.<name>.*` from the configuration before a guest ran. */
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ConfigEntry } from '../command/config-entries.ts';
import { isPathWithin } from '../../support/path-within.ts';
import type { FilterCommandContext } from './judge-command.ts';
import { distrustCommand } from './judge-command.ts';

/** The fields of an entry that decide about a driver. */
type DriverEntry = Pick<ConfigEntry, 'origin' | 'key' | 'value'>;

/** One filter driver. An absent command is undefined. */
export interface FilterDriver {
  readonly name: string;
  readonly clean: string | undefined;
  readonly smudge: string | undefined;
  /** Long-running process that takes precedence over the two commands. */
  readonly process: string | undefined;
  readonly isRequired: boolean;
  /**
   * Reason why none of its commands runs on the host while guests exist. Undefined for a trusted
   * driver.
   */
  readonly distrust: string | undefined;
}

/** Places where trusted configuration and programs cannot be. */
export interface TrustContext extends FilterCommandContext {
  /** Base directory of relative origins. */
  readonly topLevel: string;
  /** Git's own directories: a guest cannot write the configuration in them. */
  readonly gitDirs: readonly string[];
}

const COMMANDS = ['clean', 'smudge', 'process'] as const;

/** Returns every driver that has a command, and decides which of them can run on the host. */
export function readDrivers(entries: readonly DriverEntry[], context: TrustContext): FilterDriver[] {
  const byName = new Map<string, Map<string, DriverEntry>>();
  for (const entry of entries) {
    const match = /^filter\.(.*)\.(clean|smudge|process|required)$/su.exec(entry.key);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    const values = byName.get(match[1]) ?? new Map<string, DriverEntry>();
    byName.set(match[1], values.set(match[2], entry));
  }
  return [...byName].flatMap(([name, values]) => {
    const driver = toDriver(name, values, context);
    return driver === undefined ? [] : [driver];
  });
}

function toDriver(
  name: string,
  values: ReadonlyMap<string, DriverEntry>,
  context: TrustContext,
): FilterDriver | undefined {
  const used = COMMANDS.flatMap((kind) => {
    const entry = values.get(kind);
    return entry === undefined || entry.value === '' ? [] : [entry];
  });
  if (used.length === 0) return undefined;
  const command = (kind: (typeof COMMANDS)[number]): string | undefined =>
    values.get(kind)?.value || undefined;
  return {
    name,
    clean: command('clean'),
    smudge: command('smudge'),
    process: command('process'),
    isRequired: isTrue(values.get('required')?.value),
    distrust: used.map((entry) => distrustEntry(entry, context)).find((reason) => reason !== undefined),
  };
}

function distrustEntry({ origin, value }: DriverEntry, context: TrustContext): string | undefined {
  const path = origin.startsWith('file:') ? origin.slice('file:'.length) : undefined;
  if (path !== undefined && isInRepository(resolve(context.topLevel, path), context)) {
    return `its command comes from \`${path}\`, a file of the repository`;
  }
  return distrustCommand(value, context);
}

/** True for a configuration file below the checkout that is not git's own, such as an included `../.gitconfig`. */
function isInRepository(path: string, { roots, gitDirs }: TrustContext): boolean {
  if (gitDirs.some((gitDir) => path === join(gitDir, 'config') || path === join(gitDir, 'config.worktree'))) {
    return false;
  }
  const real = realPath(path);
  return roots.some((root) => isPathWithin(root, path) || isPathWithin(root, real));
}

/** Resolves symlinks in the part of a path that exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), path.slice(parent.length));
  }
}

/** Git's rule: a key without a value is true. */
function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(true|yes|on|[1-9]\d*|)$/iu.test(value);
}

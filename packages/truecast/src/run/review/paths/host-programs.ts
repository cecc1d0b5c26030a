/** Host programs: files of the checkout that git's configuration on the host starts. Pure. */
import { posix, resolve } from 'node:path';
import { namesInCommands, type CommandNames } from './command-names.ts';
import { foldPath } from './fold-name.ts';

/** One entry of git's configuration. The key is in lower case, except for its middle part. */
export type ConfigPair = readonly [key: string, value: string];

export interface CheckoutPlace {
  readonly topLevel: string;
  readonly commonDir: string;
  readonly home: string;
}

/**
 * Programs that git starts and that a checkout can change. Paths are folded and relative to the top
 * folder.
 */
export interface HostPrograms {
  /** Hook folders in the checkout. `''` is the top folder. */
  readonly hookFolders: readonly string[];
  /**
   * True if any hook is installed. The configuration of a hook manager then determines which
   * programs a git command runs.
   */
  readonly hasHooks: boolean;
  readonly commands: CommandNames;
  /** Files that installed hooks name by a path with a folder. */
  readonly hookPaths: ReadonlySet<string>;
  /** Files that git reads as configuration. */
  readonly configFiles: ReadonlySet<string>;
  /** Attributes files in addition to every `.gitattributes`. */
  readonly attributeFiles: ReadonlySet<string>;
  /** Modules that Truecast executes, such as those of `--schema`. */
  readonly ownModules: ReadonlySet<string>;
  readonly drivers: Drivers;
  /** Attributes outside of the checkout, which can define macros. */
  readonly attributes: string;
}

/** Texts that determine what git starts, in addition to its configuration. */
export interface HostTexts {
  /** Scripts that are installed as hooks. */
  readonly hooks: readonly string[];
  /** Attributes outside of the checkout. */
  readonly attributes: string;
  /** Real path of the hooks folder, if a link leads to it. */
  readonly linkedHooks?: string | undefined;
  /** Absolute paths of modules that Truecast executes. */
  readonly ownModules?: readonly string[];
}

const NO_TEXTS: HostTexts = { hooks: [], attributes: '' };

/** Names of configured drivers, by the attribute that enables them. */
export type Drivers = Readonly<Record<'filter' | 'diff' | 'merge', ReadonlySet<string>>>;

/** Keys whose value git starts, or passes to a shell. */
const COMMAND_KEYS =
  /^(core\.(fsmonitor|editor|pager|sshcommand|gitproxy|askpass|alternaterefscommand)|sequence\.editor|interactive\.difffilter|diff\.external|uploadpack\.packobjectshook|gc\.recentobjectshook|gpg\.program|gpg\..+\.(program|defaultkeycommand)|pager\..+|credential\.(.+\.)?helper|filter\..+\.(clean|smudge|process)|diff\..+\.(textconv|command)|merge\..+\.driver|(difftool|mergetool|browser|man|guitool)\..+\.(cmd|path)|remote\..+\.(uploadpack|receivepack)|trailer\..+\.(cmd|command)|submodule\..+\.update|alias\..+|hook\..+\.command|tar\..+\.command|sendemail\.(.+\.)?(smtpserver|tocmd|cccmd|headercmd)|imap\.tunnel|lfs\.customtransfer\..+\.(path|args)|lfs\.extension\..+\.(clean|smudge))$/su;

/** An address of this helper is a command line. */
const COMMAND_ADDRESS = /^ext::/u;

/** Standard command lines of git-lfs and git-crypt. They start no program of the checkout. */
const KNOWN_COMMAND =
  /^(git[- ]lfs (clean|smudge|filter-process)( --skip)?( --)?( %f)?|"?git-crypt"? (clean|smudge|diff)( --key-name=[\w-]+)?)$/u;

const DRIVER_KEY = /^(filter|diff|merge)\.(.+)\.(clean|smudge|process|textconv|command|driver)$/su;

/** Finds the parts of a configuration that the checkout can change. */
export function findHostPrograms(
  entries: readonly ConfigPair[],
  place: CheckoutPlace,
  { hooks, attributes, linkedHooks, ownModules = [] }: HostTexts = NO_TEXTS,
): HostPrograms {
  const set = entries.filter(([, value]) => value !== '');
  const commands = set
    .filter(([key, value]) => COMMAND_KEYS.test(key) || COMMAND_ADDRESS.test(value))
    .map(([, value]) => value);
  const hooksPath = set.findLast(([key]) => key === 'core.hookspath')?.[1];
  const hookFolder = hooksPath === undefined ? undefined : inCheckout(hooksPath, place.topLevel, place);
  const linkedFolder = linkedHooks === undefined ? undefined : inCheckout(linkedHooks, place.topLevel, place);
  const filesOf = (pattern: RegExp, base: string): ReadonlySet<string> =>
    new Set(
      set
        .filter(([key]) => pattern.test(key))
        .map(([, value]) => inCheckout(value, base, place))
        .filter((path) => path !== undefined),
    );
  return {
    hookFolders: [hookFolder, linkedFolder]
      .filter((folder) => folder !== undefined)
      .flatMap((folder) => [folder, ...managerFolder(folder)]),
    hasHooks: hookFolder !== undefined || hooks.length > 0,
    commands: namesInCommands(commands, place.topLevel),
    hookPaths: namesInCommands(hooks.flatMap(pathsInScript), place.topLevel).paths,
    configFiles: filesOf(/^include(if\..*)?\.path$/su, place.commonDir),
    attributeFiles: filesOf(/^core\.attributesfile$/u, place.topLevel),
    ownModules: new Set(
      ownModules.map((path) => inCheckout(path, place.topLevel, place)).filter((path) => path !== undefined),
    ),
    drivers: driversOf(set),
    attributes,
  };
}

function driversOf(entries: readonly ConfigPair[]): Drivers {
  const found = entries
    .filter(([, value]) => !KNOWN_COMMAND.test(value))
    .map(([key]) => DRIVER_KEY.exec(key))
    .filter((match) => match !== null);
  const namesOf = (kind: string): ReadonlySet<string> =>
    new Set(found.filter((match) => match[1] === kind).map((match) => (match[2] ?? '').toLowerCase()));
  return { filter: namesOf('filter'), diff: namesOf('diff'), merge: namesOf('merge') };
}

/**
 * Returns a path's folded location in the checkout: `''` for the top folder itself, undefined
 * outside of it.
 */
function inCheckout(value: string, base: string, { topLevel, home }: CheckoutPlace): string | undefined {
  const path = resolve(
    base,
    value.replace(/^~(?=\/|$)/u, () => home),
  );
  if (path === topLevel) return '';
  return path.startsWith(`${topLevel}/`) ? foldPath(path.slice(topLevel.length + 1)).join('/') : undefined;
}

/** husky sets the hooks folder to `.husky/_`. Its hooks start the files next to that folder. */
function managerFolder(folder: string): readonly string[] {
  return posix.basename(folder) === '_' ? [posix.dirname(folder)] : [];
}

/** A hook contains many words. Only those that are paths count as programs of the checkout. */
function pathsInScript(script: string): readonly string[] {
  const lines = script.split('\n').filter((line) => !/^\s*#/u.test(line));
  return lines.flatMap((line) => line.match(/[\w$(){}.-]*\/[\w$(){}./-]*\w/gu) ?? []);
}

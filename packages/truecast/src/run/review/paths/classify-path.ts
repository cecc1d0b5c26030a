/**
 * Path classification: decides by name and git configuration whether a path of a checkout runs code
 * on the host. Pure.
 */
import { isNamed } from './command-names.ts';
import { foldPath } from './fold-name.ts';
import type { HostPrograms } from './host-programs.ts';
import { ruleBelow, ruleOf, type Sensitivity } from './path-rules.ts';

/** Names of hooks that git starts itself, for a `core.hooksPath` that is the top folder. */
const HOOK_NAME =
  /^(applypatch-msg|pre-applypatch|post-applypatch|pre-commit|pre-merge-commit|prepare-commit-msg|commit-msg|post-commit|pre-rebase|post-checkout|post-merge|pre-push|pre-receive|update|post-receive|post-update|push-to-checkout|pre-auto-gc|post-rewrite|sendemail-validate|fsmonitor-watchman|p4-.*|post-index-change|reference-transaction|proc-receive)$/u;

/** Returns why a path runs code on the host. Undefined if it runs none. */
export function classifyPath(path: string, programs: HostPrograms): Sensitivity | undefined {
  return classifyNames(foldPath(path), programs);
}

/** Classifies a path by its folded names. */
export function classifyNames(names: readonly string[], programs: HostPrograms): Sensitivity | undefined {
  const rule = ruleOf(names);
  if (rule?.runsAt === 'git') return rule;
  return byConfiguration(names, programs) ?? (rule?.reason === 'hook' ? hookRule(programs) : rule);
}

/**
 * Classifies a symlink by its folded names. A link above a sensitive path decides which file is
 * there.
 */
export function classifyLink(names: readonly string[], programs: HostPrograms): Sensitivity | undefined {
  const below = `${names.join('/')}/`;
  const isAbove = (paths: Iterable<string>): boolean => [...paths].some((path) => path.startsWith(below));
  const { configFiles, hookFolders, hookPaths, commands } = programs;
  if (isAbove(configFiles)) return { reason: 'git-config', runsAt: 'git' };
  if (isAbove(hookFolders)) return { reason: 'hook', runsAt: 'git' };
  if (isAbove(hookPaths) || isAbove(commands.paths)) return { reason: 'configured-program', runsAt: 'git' };
  if (isAbove(programs.ownModules)) return { reason: 'truecast-settings', runsAt: 'truecast' };
  return classifyNames(names, programs) ?? ruleBelow(names);
}

/** Returns true if a path, given by its folded names, is an attributes file. Its new lines are then checked. */
export function decidesAttributes(names: readonly string[], { attributeFiles }: HostPrograms): boolean {
  return names.at(-1) === '.gitattributes' || attributeFiles.has(names.join('/'));
}

function byConfiguration(names: readonly string[], programs: HostPrograms): Sensitivity | undefined {
  const path = names.join('/');
  if (programs.configFiles.has(path)) return { reason: 'git-config', runsAt: 'git' };
  const isHook = programs.hookFolders.some((folder) =>
    folder === '' ? HOOK_NAME.test(path) : path === folder || path.startsWith(`${folder}/`),
  );
  if (isHook) return { reason: 'hook', runsAt: 'git' };
  const isProgram = isNamed(programs.commands, names) || programs.hookPaths.has(path);
  if (isProgram) return { reason: 'configured-program', runsAt: 'git' };
  return programs.ownModules.has(path) ? { reason: 'truecast-settings', runsAt: 'truecast' } : undefined;
}

function hookRule({ hasHooks }: HostPrograms): Sensitivity {
  return { reason: 'hook', runsAt: hasHooks ? 'git' : 'shell' };
}

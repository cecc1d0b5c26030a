/**
 * Path rules: the only list of names that run code on the host, at any depth of a checkout, with
 * the program that runs it. Data and its lookup. Pure.
 */
import type { RunsAt, SensitiveReason } from '@truecast/core/internal/errors/base/run-evidence';

/** Reason why a path is sensitive. */
export interface Sensitivity {
  readonly reason: SensitiveReason;
  readonly runsAt: RunsAt;
}

/** A name and its sensitivity. A rule for a folder covers everything below it. */
export interface PathRule extends Sensitivity {
  readonly name: string;
  readonly kind: 'file' | 'folder';
  /** True if the top folder's entry is read-only for an agent that works in the user's checkout. */
  readonly isProtected: boolean;
  /** True for a name that other projects use too. An agent can create it where it is absent. */
  readonly isCommonName: boolean;
}

interface RuleOptions extends Sensitivity {
  readonly isProtected?: boolean;
  readonly isCommonName?: boolean;
}

function rules(
  { isProtected = false, isCommonName = false, ...sensitivity }: RuleOptions,
  names: { readonly files?: readonly string[]; readonly folders?: readonly string[] },
): readonly PathRule[] {
  const all = { ...sensitivity, isProtected, isCommonName };
  return [
    ...(names.files ?? []).map((name): PathRule => ({ name, kind: 'file', ...all })),
    ...(names.folders ?? []).map((name): PathRule => ({ name, kind: 'folder', ...all })),
  ];
}

/** Instructions for agents (`AGENTS.md`, `CLAUDE.md`) are text, run nothing, and are not listed. */
const PATH_RULES: readonly PathRule[] = [
  ...rules({ reason: 'nested-repository', runsAt: 'git' }, { folders: ['.git'] }),
  ...rules({ reason: 'git-modules', runsAt: 'git', isProtected: true }, { files: ['.gitmodules'] }),
  ...rules({ reason: 'lfs-config', runsAt: 'git', isProtected: true }, { files: ['.lfsconfig'] }),
  ...rules({ reason: 'foreign-repository', runsAt: 'shell' }, { folders: ['.hg', '.jj', '.sl', '.svn'] }),
  ...rules(
    { reason: 'truecast-settings', runsAt: 'truecast', isProtected: true },
    { files: ['truecast.config.ts'] },
  ),
  ...rules(
    { reason: 'truecast-settings', runsAt: 'truecast' },
    {
      files: ['truecast.config.mts', 'truecast.config.js', 'truecast.config.mjs'],
      // A sandbox protects it in the checkout itself.
      folders: ['.truecast'],
    },
  ),
  ...rules(
    { reason: 'truecast-settings', runsAt: 'truecast', isProtected: true, isCommonName: true },
    { files: ['models.yaml', 'models.yml'], folders: ['ensembles'] },
  ),
  // According to their documentation, these start programs: MCP servers, hooks, plugins, extensions
  // or commands. Antigravity reads hooks and MCP servers from `.agents`.
  ...rules(
    { reason: 'agent-settings', runsAt: 'agent', isProtected: true },
    {
      files: ['.mcp.json', 'opencode.json', 'opencode.jsonc'],
      folders: [
        '.claude',
        '.codex',
        '.agents',
        '.gemini',
        '.qwen',
        '.kimi',
        '.kimi-code',
        '.cursor',
        '.opencode',
        '.pi',
        '.windsurf',
      ],
    },
  ),
  ...rules(
    { reason: 'agent-settings', runsAt: 'agent' },
    {
      files: ['.aider.conf.yml', 'crush.json', '.crush.json', 'mcp.json'],
      folders: [
        '.copilot',
        '.github/hooks',
        '.clinerules/hooks',
        '.amazonq',
        '.augment',
        '.claude-plugin',
        '.continue',
        '.factory',
        '.junie',
        '.kilocode',
        '.kiro',
        '.openhands',
        '.qwen',
        '.roo',
        '.sandcastle',
        '.trae',
      ],
    },
  ),
  ...rules(
    { reason: 'editor-settings', runsAt: 'editor', isProtected: true },
    { folders: ['.vscode', '.idea', '.devcontainer'] },
  ),
  ...rules(
    { reason: 'editor-settings', runsAt: 'editor' },
    {
      files: [
        '.devcontainer.json',
        '.gitpod.yml',
        '.replit',
        '.exrc',
        '.nvimrc',
        '.nvim.lua',
        '.lvimrc',
        '.vimrc',
        '.gvimrc',
        '.dir-locals.el',
        '.dir-locals-2.el',
      ],
      folders: ['.zed', '.fleet', '.vs', '.helix', '.codesandbox'],
    },
  ),
  ...rules({ reason: 'shell-startup', runsAt: 'shell', isProtected: true }, { files: ['.envrc'] }),
  ...rules(
    { reason: 'shell-startup', runsAt: 'shell' },
    {
      files: [
        '.bashrc',
        '.bash_profile',
        '.bash_login',
        '.bash_logout',
        '.bash_aliases',
        '.profile',
        '.zshrc',
        '.zshenv',
        '.zprofile',
        '.zlogin',
        '.zlogout',
        '.kshrc',
        '.cshrc',
        '.tcshrc',
        '.mise.toml',
        'mise.toml',
        '.mise.local.toml',
        'mise.local.toml',
        '.autoenv.zsh',
        '.irbrc',
        '.pryrc',
        '.pdbrc',
        '.rprofile',
      ],
      folders: ['.mise', '.config/mise', '.config/fish'],
    },
  ),
  ...rules(
    { reason: 'package-manager-settings', runsAt: 'shell' },
    {
      files: [
        '.npmrc',
        '.yarnrc',
        '.yarnrc.yml',
        '.pnpmfile.cjs',
        '.pnpmfile.mjs',
        '.pnp.cjs',
        'bunfig.toml',
        'pnpm-workspace.yaml',
        '.bazelrc',
        'rust-toolchain',
        'rust-toolchain.toml',
      ],
      folders: ['.yarn/releases', '.yarn/plugins', '.bundle', '.cargo', '.mvn'],
    },
  ),
  // Without an installed hook they take effect only at the manager's own installation.
  ...rules({ reason: 'hook', runsAt: 'shell', isProtected: true }, { folders: ['.husky'] }),
  ...rules(
    { reason: 'hook', runsAt: 'shell' },
    {
      files: [
        '.pre-commit-config.yaml',
        'lefthook.yml',
        'lefthook.yaml',
        'lefthook.toml',
        '.lefthook.yml',
        '.overcommit.yml',
        ...['', '.json', '.yaml', '.yml', '.js', '.mjs', '.cjs'].map((end) => `.lintstagedrc${end}`),
      ],
      folders: ['.lefthook', '.trunk'],
    },
  ),
];

/** Rules whose names are read-only in the user's checkout. */
export const PROTECTED_RULES: readonly PathRule[] = PATH_RULES.filter(({ isProtected }) => isProtected);

const BY_NAME: ReadonlyMap<string, PathRule> = new Map(PATH_RULES.map((rule) => [rule.name, rule]));
/** First names of the rules with two names. */
const PARENTS: ReadonlySet<string> = new Set(
  [...BY_NAME.keys()].filter((name) => name.includes('/')).map((name) => name.split('/')[0] ?? ''),
);

/** Returns the rule for a path given by its folded names. The outermost name takes precedence. */
export function ruleOf(names: readonly string[]): PathRule | undefined {
  let parent = '';
  for (const name of names) {
    const rule = BY_NAME.get(name) ?? (PARENTS.has(parent) ? BY_NAME.get(`${parent}/${name}`) : undefined);
    if (rule !== undefined) return rule;
    parent = name;
  }
  return names.at(-1)?.endsWith('.code-workspace') === true ? WORKSPACE_RULE : undefined;
}

/** Returns the rule with two names of which a path ends with the first. */
export function ruleBelow(names: readonly string[]): PathRule | undefined {
  return PATH_RULES.find(({ name }) => name.startsWith(`${names.at(-1) ?? ''}/`));
}

const WORKSPACE_RULE: PathRule = {
  name: '*.code-workspace',
  kind: 'file',
  reason: 'editor-settings',
  runsAt: 'editor',
  isProtected: false,
  isCommonName: false,
};

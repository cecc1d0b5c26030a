import { describe, expect, it } from 'vitest';
import { classifyLink, classifyPath, decidesAttributes } from './classify-path.ts';
import { foldPath } from './fold-name.ts';
import { findHostPrograms, type ConfigPair, type HostPrograms } from './host-programs.ts';

const PLACE = { topLevel: '/home/me/repo', commonDir: '/home/me/repo/.git', home: '/home/me' };

function programs(entries: readonly ConfigPair[] = [], hooks: readonly string[] = []): HostPrograms {
  return findHostPrograms(entries, PLACE, { hooks, attributes: '' });
}

describe('classifyPath', () => {
  it.each([
    ['sub/.git/config', 'nested-repository', 'git'],
    ['sub/.GIT/config', 'nested-repository', 'git'],
    ['sub/git~1/config', 'nested-repository', 'git'],
    ['sub/.g\u200Dit/config', 'nested-repository', 'git'],
    [String.raw`sub\.git\config`, 'nested-repository', 'git'],
    ['.git::$INDEX_ALLOCATION/config', 'nested-repository', 'git'],
    ['.gitmodules', 'git-modules', 'git'],
    ['.gitmodule\u017F', 'git-modules', 'git'],
    ['GITMOD~1', 'git-modules', 'git'],
    ['.lfsconfig', 'lfs-config', 'git'],
    ['.mcp.json', 'agent-settings', 'agent'],
    ['packages/a/.claude/settings.json', 'agent-settings', 'agent'],
    ['.github/hooks/check.json', 'agent-settings', 'agent'],
    ['.Vscode/tasks.json', 'editor-settings', 'editor'],
    ['my.code-workspace', 'editor-settings', 'editor'],
    ['.envrc', 'shell-startup', 'shell'],
    ['.vimrc', 'editor-settings', 'editor'],
    ['.clinerules/hooks/PreToolUse', 'agent-settings', 'agent'],
    ['.kiro/settings/mcp.json', 'agent-settings', 'agent'],
    ['.config/mise/config.toml', 'shell-startup', 'shell'],
    ['.cargo/config.toml', 'package-manager-settings', 'shell'],
    ['.yarn/releases/yarn.cjs', 'package-manager-settings', 'shell'],
    ['.npmrc', 'package-manager-settings', 'shell'],
    ['.husky/pre-push', 'hook', 'shell'],
    ['truecast.config.ts', 'truecast-settings', 'truecast'],
    ['packages/a/truecast.config.mjs', 'truecast-settings', 'truecast'],
    ['ensembles/agents/dora.yaml', 'truecast-settings', 'truecast'],
    ['models.yaml', 'truecast-settings', 'truecast'],
    ['.truecast/main.ts', 'truecast-settings', 'truecast'],
    ['.hg/hgrc', 'foreign-repository', 'shell'],
    ['.jj/repo/config.toml', 'foreign-repository', 'shell'],
    ['.openhands/setup.sh', 'agent-settings', 'agent'],
    ['.claude-plugin/plugin.json', 'agent-settings', 'agent'],
    ['.sandcastle/main.ts', 'agent-settings', 'agent'],
    ['mcp.json', 'agent-settings', 'agent'],
    ['.gitpod.yml', 'editor-settings', 'editor'],
    ['.codesandbox/tasks.json', 'editor-settings', 'editor'],
    ['.replit', 'editor-settings', 'editor'],
    ['.trunk/trunk.yaml', 'hook', 'shell'],
    ['.lintstagedrc', 'hook', 'shell'],
    ['.mvn/extensions.xml', 'package-manager-settings', 'shell'],
    ['.bazelrc', 'package-manager-settings', 'shell'],
    ['rust-toolchain.toml', 'package-manager-settings', 'shell'],
    ['pnpm-workspace.yaml', 'package-manager-settings', 'shell'],
    ['.Rprofile', 'shell-startup', 'shell'],
  ])('%j is %s, run by %s', (path, reason, runsAt) => {
    expect(classifyPath(path, programs())).toMatchObject({ reason, runsAt });
  });

  it.each([
    'packages/truecast/src/index.ts',
    'AGENTS.md',
    'CLAUDE.md',
    'README.md',
    '.gitignore',
    '.github/x.yml',
    '.yarn/cache/a.zip',
    '.config/app.json',
    'hooks/x.json',
    'git/config',
  ])('%j runs nothing', (path) => {
    expect(classifyPath(path, programs())).toBeUndefined();
  });

  it('takes a hook manager for one of git as soon as a hook is installed', () => {
    expect(classifyPath('lefthook.yml', programs())).toMatchObject({ runsAt: 'shell' });
    expect(classifyPath('lefthook.yml', programs([], ['lefthook run pre-commit']))).toMatchObject({
      runsAt: 'git',
    });
  });

  it.each<readonly [key: string, value: string, path: string, reason: string]>([
    ['core.hookspath', '.githooks', '.GitHooks/pre-push', 'hook'],
    ['core.hookspath', '~/repo/.githooks', '.githooks/x', 'hook'],
    ['core.hookspath', '.husky/_', '.husky/pre-commit', 'hook'],
    ['core.hookspath', '.', 'pre-commit', 'hook'],
    ['core.fsmonitor', '.tools/watch', '.tools/watch', 'configured-program'],
    ['filter.x.process', 'node tools/f.js', 'tools/f.js', 'configured-program'],
    ['remote.origin.url', 'ext::sh tools/remote.sh %S', 'tools/remote.sh', 'configured-program'],
    ['lfs.customtransfer.own.args', 'tools/send.py', 'tools/send.py', 'configured-program'],
    ['lfs.extension.own.clean', 'tools/clean %f', 'tools/clean', 'configured-program'],
    ['tar.own.command', 'tools/pack', 'tools/pack', 'configured-program'],
    ['sendemail.work.tocmd', 'tools/to', 'tools/to', 'configured-program'],
    ['alias.st', '!sh tools/st.sh', 'tools/st.sh', 'configured-program'],
    ['include.path', '../.gitconfig', '.gitconfig', 'git-config'],
    ['includeif.gitdir:x.path', '/home/me/repo/team.inc', 'team.inc', 'git-config'],
  ])('%s = %j makes %j a %s', (key, value, path, reason) => {
    expect(classifyPath(path, programs([[key, value]]))).toEqual({ reason, runsAt: 'git' });
    expect(classifyPath('packages/truecast/src/index.ts', programs([[key, value]]))).toBeUndefined();
  });

  it('does not take every file of the top folder for a hook', () => {
    expect(classifyPath('index.ts', programs([['core.hookspath', '.']]))).toBeUndefined();
  });
});

describe('classifyLink', () => {
  it.each<readonly [key: string, value: string, path: string, reason: string]>([
    ['core.hookspath', 'Tools/hooks', 'tools', 'hook'],
    ['core.hookspath', 'a/b/hooks', 'a/b', 'hook'],
    ['core.fsmonitor', 'tools/watch', 'tools', 'configured-program'],
    ['include.path', '../cfg/team.inc', 'cfg', 'git-config'],
  ])('with %s = %j, a link at %j is a %s', (key, value, path, reason) => {
    expect(classifyLink(foldPath(path), programs([[key, value]]))).toEqual({ reason, runsAt: 'git' });
    expect(classifyLink(foldPath('src'), programs([[key, value]]))).toBeUndefined();
  });

  it('a link in place of the parent of an agent settings folder is one of them', () => {
    expect(classifyLink(foldPath('.GitHub'), programs())).toMatchObject({ reason: 'agent-settings' });
    expect(classifyLink(foldPath('.claude'), programs())).toMatchObject({ reason: 'agent-settings' });
    expect(classifyLink(foldPath('docs'), programs())).toBeUndefined();
  });
});

describe('isAttributesFile', () => {
  it.each(['.gitattributes', 'a/b/.GitAttributes', 'GITATT~1'])('%j is one', (path) => {
    expect(decidesAttributes(foldPath(path), programs())).toBe(true);
  });

  it('knows the one that the configuration names', () => {
    expect(
      decidesAttributes(foldPath('team.attributes'), programs([['core.attributesfile', 'team.attributes']])),
    ).toBe(true);
    expect(decidesAttributes(foldPath('team.attributes'), programs())).toBe(false);
  });
});

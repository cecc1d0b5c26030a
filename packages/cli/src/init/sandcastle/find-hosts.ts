/** Hosts that a project's commands connect to: package registries and the GitHub API. Pure. */

/**
 * Commands, and the hosts that they need. Commands that only use installed packages are not listed.
 */
const HOSTS_OF_COMMANDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:npm|pnpm|bun)\s+(?:add|ci|i|install)\b/u, ['registry.npmjs.org']],
  [/\byarn\s+(?:add|install)\b/u, ['registry.yarnpkg.com']],
  [/\b(?:pip3?\s+install|uv\s+(?:add|pip|sync))\b/u, ['pypi.org', 'files.pythonhosted.org']],
  [/\bcargo\s+(?:add|fetch|install)\b/u, ['index.crates.io', 'static.crates.io']],
  [/\bgo\s+(?:get|install|mod)\b/u, ['proxy.golang.org', 'sum.golang.org']],
  [/\b(?:bundle|gem)\s+install\b/u, ['rubygems.org']],
  [/\bgh\s+(?:api|issue|label|pr|release|repo|run|search)\b/u, ['api.github.com']],
];

/** Returns the sorted hosts that commands in these texts need. */
export function findHosts(texts: readonly string[]): readonly string[] {
  const found = HOSTS_OF_COMMANDS.filter(([command]) => texts.some((text) => command.test(text)));
  return [...new Set(found.flatMap(([, hosts]) => hosts))].toSorted();
}

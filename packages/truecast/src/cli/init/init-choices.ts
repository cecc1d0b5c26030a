/** Choices of `truecast init` as data: agents, sandboxes, templates and package managers. */

/** An agent to choose. */
export interface AgentChoice {
  readonly hint: string;
  /** The agent's function in `truecast`. */
  readonly factory: string;
  /** npm package with its CLI, and the tested version. */
  readonly npmPackage: string;
  readonly npmVersion: string;
  /** Environment variables with its credentials. */
  readonly keys: readonly string[];
}

/** The agents by their command-line names. */
export const AGENTS: Readonly<Record<AgentName, AgentChoice>> = {
  'claude-code': {
    hint: 'Claude Code, by Anthropic',
    factory: 'claudeCode',
    npmPackage: '@anthropic-ai/claude-code',
    npmVersion: '2.1.329',
    keys: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
  },
  codex: {
    hint: 'Codex, by OpenAI',
    factory: 'codex',
    npmPackage: '@openai/codex',
    npmVersion: '0.169.0',
    keys: ['OPENAI_API_KEY'],
  },
  opencode: {
    hint: 'OpenCode, with models of many providers',
    factory: 'opencode',
    npmPackage: 'opencode-ai',
    npmVersion: '1.18.33',
    keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
  },
  pi: {
    hint: 'Pi, with models of many providers',
    factory: 'pi',
    npmPackage: '@mariozechner/pi-coding-agent',
    npmVersion: '0.73.1',
    keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
  },
  'gemini-cli': {
    hint: 'Gemini CLI, by Google',
    factory: 'geminiCli',
    npmPackage: '@google/gemini-cli',
    npmVersion: '0.61.0',
    keys: ['GEMINI_API_KEY'],
  },
  copilot: {
    hint: 'Copilot CLI, by GitHub',
    factory: 'copilot',
    npmPackage: '@github/copilot',
    npmVersion: '1.0.102',
    keys: ['COPILOT_GITHUB_TOKEN'],
  },
};

/** A sandbox to choose. */
export interface SandboxChoice {
  readonly hint: string;
  /** The sandbox's function in `truecast`. */
  readonly factory: string;
  /** Name of the image file, if it has one. */
  readonly imageFile?: string;
}

/** The sandboxes by their command-line names. */
export const SANDBOXES: Readonly<Record<SandboxName, SandboxChoice>> = {
  bubblewrap: { hint: 'no daemon, no image, no root (Linux)', factory: 'bubblewrap' },
  docker: { hint: 'a Docker container', factory: 'docker', imageFile: 'Dockerfile' },
  podman: { hint: 'a Podman container', factory: 'podman', imageFile: 'Containerfile' },
  none: { hint: 'no sandbox: the agent has all rights of this user', factory: 'noSandbox' },
};

/** A template to choose: a folder of that name. */
export interface TemplateChoice {
  readonly hint: string;
  /** Steps before the first start. */
  readonly next: string;
}

/** The templates by their command-line names. */
export const TEMPLATES: Readonly<Record<TemplateName, TemplateChoice>> = {
  blank: {
    hint: 'one run with a typed answer',
    next: 'Write the task of the agent into .truecast/prompt.md.',
  },
  'simple-loop': {
    hint: 'an agent works through a list of tasks',
    next: 'Write tasks into TASKS.md, one per line: `- [ ] …`.',
  },
  'implement-then-review': {
    hint: 'one agent does a task, another reviews it until it approves',
    next: 'Start it with the task as its argument.',
  },
  'parallel-planner': {
    hint: 'split a goal into tasks, run them in parallel, merge the finished ones',
    next: 'Write the goal into GOAL.md, and commit it.',
  },
  'issue-triage': {
    hint: 'typed triage of all open issues',
    next: 'Log in with `gh auth login`, or set ISSUES_COMMAND to a command that prints issues as JSON.',
  },
};

/** A package manager to choose. */
export interface PackageManagerChoice {
  readonly hint: string;
  /** Its arguments to add a dependency. */
  readonly add: readonly string[];
}

/** The package managers, with their command to add a dependency. */
export const PACKAGE_MANAGERS: Readonly<Record<PackageManagerName, PackageManagerChoice>> = {
  npm: { hint: 'npm', add: ['install'] },
  pnpm: { hint: 'pnpm', add: ['add'] },
  yarn: { hint: 'yarn', add: ['add'] },
  bun: { hint: 'bun', add: ['add'] },
};

export type AgentName = 'claude-code' | 'codex' | 'opencode' | 'pi' | 'gemini-cli' | 'copilot';
export type SandboxName = 'bubblewrap' | 'docker' | 'podman' | 'none';
export type TemplateName =
  | 'blank'
  | 'simple-loop'
  | 'implement-then-review'
  | 'parallel-planner'
  | 'issue-triage';
export type PackageManagerName = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** All answers to the questions. */
export interface InitAnswers {
  readonly agent: AgentName;
  /** Empty for the agent's default. */
  readonly model: string;
  readonly sandbox: SandboxName;
  readonly template: TemplateName;
  readonly packageManager: PackageManagerName;
  /** True to add the dependencies right away. */
  readonly install: boolean;
}

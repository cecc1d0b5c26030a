/** Choices of `truecast init` as data: templates and package managers. Agents and sandboxes have their own registries. */
import type { InitAgentName } from 'truecast/internal/agents/registry/agent-names';
import type { SandboxName } from 'truecast/internal/sandboxes/registry/sandboxes';

/** A selectable template. Its folder has the same name. */
export interface TemplateChoice {
  readonly hint: string;
  /** Step that is needed before the first start. */
  readonly next?: string;
  /** Arguments of the first start. */
  readonly startArguments?: string;
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
    startArguments: '"Add a test for the parser"',
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

export type TemplateName =
  | 'blank'
  | 'simple-loop'
  | 'implement-then-review'
  | 'parallel-planner'
  | 'issue-triage';
export type PackageManagerName = 'npm' | 'pnpm' | 'yarn' | 'bun';

export interface InitAnswers {
  readonly agent: InitAgentName;
  /** Empty for the agent's default. */
  readonly model: string;
  readonly sandbox: SandboxName;
  readonly template: TemplateName;
  readonly packageManager: PackageManagerName;
  /** True to install the dependencies immediately. */
  readonly install: boolean;
}

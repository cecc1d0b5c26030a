/** Flags of `truecast compare`, as parsed. */
import type { BudgetFlags } from '../flags/flag-values.ts';
import type { PromptFlags } from '../flags/read-prompt.ts';

export interface CompareFlags extends PromptFlags, Pick<BudgetFlags, 'budgetTokens' | 'budgetUsd'> {
  readonly inputs: string;
  readonly agent?: readonly string[];
  readonly model?: readonly string[];
  readonly models?: string;
  readonly mode?: readonly string[];
  readonly schema?: string;
  readonly tag?: string;
  readonly maxCorrections?: number;
  readonly lenient?: boolean;
  readonly check?: string;
  readonly repeat: number;
  readonly seed: number;
  readonly out: string;
  readonly retryFailed?: boolean;
  readonly concurrency: number;
  readonly minFirstTry?: number;
  readonly minValid?: number;
  readonly minRight?: number;
  readonly sandbox?: string;
  readonly imageName?: string;
  readonly egress?: string;
  readonly cwd?: string;
  readonly timeout?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

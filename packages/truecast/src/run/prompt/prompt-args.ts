/** Types of prompt template arguments. */

/** A value for a `{{KEY}}`. */
export type PromptArg = string | number | boolean;

/** Values for the `{{KEY}}`s of a prompt template. */
export type PromptArgs = Readonly<Record<string, PromptArg>>;

/** Keys that a run fills in. */
export const BUILT_IN_PROMPT_ARGS = ['SOURCE_BRANCH', 'TARGET_BRANCH'] as const;

/** A key that a run fills in. */
export type BuiltInPromptArg = (typeof BUILT_IN_PROMPT_ARGS)[number];

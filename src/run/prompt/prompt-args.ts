/** Owns what may be substituted into a prompt template. */

/** A value for a `{{KEY}}`. */
export type PromptArg = string | number | boolean;

/** Values for the `{{KEY}}`s of a prompt template. */
export type PromptArgs = Readonly<Record<string, PromptArg>>;

/** Keys that a run fills in itself. */
export const BUILT_IN_PROMPT_ARGS = ['SOURCE_BRANCH', 'TARGET_BRANCH'] as const;

/** A key that a run fills in itself. */
export type BuiltInPromptArg = (typeof BUILT_IN_PROMPT_ARGS)[number];

/** Command of a run with the same prompt. Pure. */

/** Quotes the prompt for a POSIX shell. `--` allows a prompt with a leading hyphen. */
export function repeatCommand(prompt: string, agent: string): string {
  return `npx --no truecast run --agent ${agent} -- '${prompt.replaceAll("'", String.raw`'\''`)}'`;
}

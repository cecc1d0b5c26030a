/** Shown model names: some servers report the path of the weights. Pure. */

/** A path of a machine: absolute, or a file of weights in a folder. */
const PATH = /^(?:[/~\\]|[a-z]:[/\\]|\.{1,2}[/\\])|[/\\].*\.(?:gguf|safetensors|bin|ggml)$/iu;

/** Returns the reported name, or the asked one if the reported one is a path of the server's machine. */
export function shownModel(reported: string, asked: string): string {
  return PATH.test(reported) ? asked : reported;
}

/** Removes the folders from a path. */
export function withoutFolders(name: string): string {
  return PATH.test(name) ? (name.split(/[/\\]/u).at(-1) ?? name) : name;
}

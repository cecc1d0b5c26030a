/** Samples of the landing page: their files, their tabs, and the code that is shown. */

/** Name of the file in `site/samples/`, and its tab. */
export const SAMPLES = {
  agent: 'Agent',
  model: 'Model',
  chat: 'Chat',
  ensemble: 'Ensemble',
} as const;

/** Docstring of a sample's file. */
export const SAMPLE_HEADER = /^\/\*\*[\s\S]*?\*\/\n/u;

/** Path of a sample in the repository. */
export function samplePath(name: string): string {
  return `site/samples/${name}.ts`;
}

/** Returns the code of a sample's file, without its docstring. */
export function shownCode(text: string): string {
  return text.replace(SAMPLE_HEADER, '');
}

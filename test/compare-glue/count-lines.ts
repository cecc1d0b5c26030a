/** Line counter: counts lines of a program without blank lines, comments and imports. */
export function countLines(source: string): number {
  const code = source
    .replaceAll(/\/\*[^]*?\*\//gu, '')
    .replaceAll(/^import [^;]*;$/gmu, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'));
  return code.length;
}

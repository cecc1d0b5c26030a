/** JSON values that arrive in chunks. Pure. */

/**
 * A report of findings whose JSON has exactly `bytes` bytes: objects, arrays, numbers, literals,
 * escapes, long and short strings.
 */
export function findingsJson(bytes: number): string {
  const findings: unknown[] = [];
  const wrap = (filler: string): string => JSON.stringify({ ok: true, count: 128.5, findings, filler });
  let length = wrap('').length;
  for (let index = 0; ; index += 1) {
    const finding = makeFinding(index);
    const added = JSON.stringify(finding).length + 1;
    if (length + added > bytes) break;
    findings.push(finding);
    length += added;
  }
  return wrap('x'.repeat(bytes - wrap('').length));
}

function makeFinding(index: number): unknown {
  return {
    id: index,
    path: `src/module-${index % 17}/file-${index}.ts`,
    severity: ['low', 'medium', 'high'][index % 3],
    isFixed: index % 2 === 0,
    note: `A "quoted" remark with a \\ backslash,\nand a second line for finding ${index}.`,
    score: index * 0.25 - 3,
    owner: null,
    lines: [index, index + 1, index + 2],
  };
}

/** Splits text into chunks of `size` characters. */
export function cutIntoPieces(text: string, size: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += size) pieces.push(text.slice(start, start + size));
  return pieces;
}

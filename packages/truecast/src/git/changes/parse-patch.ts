/**
 * Parser of git's patches. The counts of a hunk decide where it ends, so no line of a file can look
 * like a header. Pure.
 */

/** Consecutive lines of a file. Each line begins with ` `, `+`, `-`, or `\` for a missing newline. */
export interface PatchHunk {
  readonly oldStart: number;
  readonly newStart: number;
  /** Line that git found before the hunk, such as that of a function. */
  readonly heading: string;
  readonly lines: readonly string[];
}

/** Changes of one file in a patch. */
export interface FilePatch {
  readonly hunks: readonly PatchHunk[];
  readonly added: number;
  readonly removed: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/su;

/** Returns the files in the order of the patch. */
export function parsePatch(text: string): readonly FilePatch[] {
  const lines = text.split('\n');
  const files: { hunks: PatchHunk[]; added: number; removed: number }[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.startsWith('diff --git ')) files.push({ hunks: [], added: 0, removed: 0 });
    const file = files.at(-1);
    const match = HUNK.exec(line);
    if (match === null || file === undefined) continue;
    const [, oldStart, oldCount = '1', newStart, newCount = '1', heading = ''] = match;
    const hunk = readHunk(lines, at + 1, Number(oldCount), Number(newCount));
    file.hunks.push({ oldStart: Number(oldStart), newStart: Number(newStart), heading, lines: hunk });
    file.added += hunk.filter((each) => each.startsWith('+')).length;
    file.removed += hunk.filter((each) => each.startsWith('-')).length;
    at += hunk.length;
  }
  return files;
}

function readHunk(
  lines: readonly string[],
  start: number,
  oldCount: number,
  newCount: number,
): readonly string[] {
  let [old, added, end] = [oldCount, newCount, start];
  for (; end < lines.length; end += 1) {
    const sign = lines[end]?.[0];
    if (sign === '\\') continue;
    if (old <= 0 && added <= 0) break;
    if (sign !== '+') old -= 1;
    if (sign !== '-') added -= 1;
  }
  return lines.slice(start, end);
}

/** Attribute lines: finds new lines of `.gitattributes` that enable a configured driver. Pure. */
import type { Drivers } from './host-programs.ts';

/** Git's separators. Other white space is part of a name. */
const BLANK = /[ \t\r\n]+/u;
const MACRO = /^"?\[attr\][ \t]*([^ \t\r"]+)"?(?=[ \t\r])/u;

export interface AttributeTexts {
  readonly before: string;
  readonly after: string;
  /**
   * Texts that can define macros: the top folder's `.gitattributes`, and the attributes files that
   * git's configuration names.
   */
  readonly macros: string;
}

/** Returns true if `after` has a line that `before` lacks and that enables a driver. */
export function turnsOnDriver({ before, after, macros }: AttributeTexts, drivers: Drivers): boolean {
  const known = new Set(linesOf(before));
  const defined = macrosOf([...linesOf(macros), ...linesOf(after)], drivers);
  return linesOf(after).some((line) => !known.has(line) && namesDriver(line, drivers, defined));
}

function linesOf(text: string): readonly string[] {
  const lines = text.replace(/^\uFEFF/u, '').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

/** Returns the macros that enable a driver, directly or through another macro. */
function macrosOf(lines: readonly string[], drivers: Drivers): ReadonlySet<string> {
  const definitions = lines.flatMap((line) => {
    const [definition, name] = MACRO.exec(line) ?? [];
    return definition === undefined || name === undefined
      ? []
      : [{ name, line: line.slice(definition.length) }];
  });
  const macros = new Set<string>();
  for (let isGrowing = true; isGrowing;) {
    const found = definitions.filter(
      ({ name, line }) => !macros.has(name) && namesDriver(line, drivers, macros),
    );
    for (const { name } of found) macros.add(name);
    isGrowing = found.length > 0;
  }
  return macros;
}

function namesDriver(line: string, drivers: Drivers, macros: ReadonlySet<string>): boolean {
  return line.split(BLANK).some((token) => {
    const match = /^(filter|diff|merge)=(.+)$/u.exec(token);
    if (match === null) return macros.has(token);
    return drivers[match[1] as keyof Drivers].has((match[2] ?? '').toLowerCase());
  });
}

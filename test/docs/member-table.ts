/** Member tables: writes the members of an interface, or the variants of a union, as a Markdown table. */
import { type Member, membersOf } from './type-members.ts';

/** Matches a table of a page, with the names of its types and the names to leave out. */
const TABLE =
  /<!-- members of (?<names>[\w, ]+?)(?: without (?<without>[\w, ]+))? -->\n[\s\S]*?<!-- end of members -->/gu;

/** Replaces each marked table of a page by the current one. */
export function withMemberTables(page: string): string {
  return page.replaceAll(TABLE, (whole: string, ...rest: unknown[]) => {
    const { names, without = '' } = rest.at(-1) as { names: string; without?: string };
    const left = without.split(', ');
    const rows = names.split(', ').flatMap((name) => membersOf(name));
    const [opening = ''] = whole.split('\n');
    return [
      opening,
      ...tableOf(rows.filter(({ name }) => !left.includes(name))),
      '<!-- end of members -->',
    ].join('\n');
  });
}

/** Returns the names in marked tables that have no description. */
export function undescribedMembers(page: string): readonly string[] {
  return [...page.matchAll(TABLE)].flatMap(({ groups }) =>
    (groups?.['names'] ?? '').split(', ').flatMap((type) =>
      membersOf(type)
        .filter(({ text }) => text === '')
        .map(({ name }) => `${type}.${name}`),
    ),
  );
}

function tableOf(rows: readonly Member[]): readonly string[] {
  const isUnion = rows.some(({ name }) => name.includes('-'));
  const hasDefaults = rows.some(({ byDefault }) => byDefault !== '');
  const heads = isUnion
    ? ['`type`', 'with', 'meaning']
    : ['name', 'type', ...(hasDefaults ? ['default'] : []), 'meaning'];
  const lines = rows.map(({ name, type, byDefault, text }) => [
    code(name),
    isUnion ? type.split(', ').map(code).join(', ') : code(type),
    ...(hasDefaults ? [literal(byDefault)] : []),
    text,
  ]);
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.map(cell).join(' | ')} |`);
}

/** Formats a default that is a value as code. Others are prose, or contain their own code. */
function literal(byDefault: string): string {
  const isValue = /^(?:'[^']*'|"[^"]*"|[{[].*|\d+|true|false)$/u.test(byDefault);
  return isValue && !byDefault.includes('`') ? code(byDefault) : byDefault;
}

const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** A bar ends a cell, also within code. */
const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);

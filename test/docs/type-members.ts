/** Type reader: members of exported types, with type, default and description from the sources. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5';

const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

/** A member of an interface, or a variant of a union of objects. */
export interface Member {
  /** Name of the member, or the variant's `type`. */
  readonly name: string;
  /** Type of the member, or the names of the variant's other members. */
  readonly type: string;
  readonly byDefault: string;
  readonly text: string;
}

/** Returns the members of an interface, inherited ones included, or the variants of a union. */
export function membersOf(name: string): readonly Member[] {
  return rowsOf(declarationOf(name));
}

type Declaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

const declarations = new Map<string, Declaration>();

function declarationOf(name: string): Declaration {
  if (declarations.size === 0) {
    for (const declaration of allDeclarations()) {
      if (!declarations.has(declaration.name.text)) declarations.set(declaration.name.text, declaration);
    }
  }
  const found = declarations.get(name);
  if (found === undefined) throw new Error(`No exported type of the packages is called ${name}`);
  return found;
}

/**
 * Declarations of exported types in the packages whose types the pages show. The ported entry has
 * types of the same names.
 */
function allDeclarations(): readonly Declaration[] {
  // A name of the client is only found if no other package has it.
  const files = ['packages/{truecast,core,model}/src/**/*.ts', 'packages/client/src/{,runs/}*.ts']
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    .filter((file) => !/\.test(?:-d)?\.ts$|\/src\/sandcastle\//u.test(file));
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    if (!/^export (?:interface|type) \w/mu.test(text)) return [];
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
    return source.statements.filter(
      (node): node is Declaration => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node),
    );
  });
}

function rowsOf(declaration: Declaration): readonly Member[] {
  if (ts.isTypeAliasDeclaration(declaration)) return variantsOf(declaration.type);
  const inherited = (declaration.heritageClauses ?? []).flatMap(({ types }) =>
    types.map(({ expression }) => expression.getText()),
  );
  // Types of the platform are not ours to describe. A page links to the type that `Omit` shortens.
  const own = inherited.filter((name) => !['AsyncDisposable', 'Omit'].includes(name)).map(declarationOf);
  return [...declaration.members.map(rowOf), ...own.flatMap(rowsOf)];
}

function rowOf(member: ts.TypeElement): Member {
  const signature = ts.isMethodSignature(member);
  const type = signature
    ? `(${member.parameters.map((each) => each.getText()).join(', ')}) => ${member.type?.getText() ?? ''}`
    : ts.isPropertySignature(member)
      ? (member.type?.getText() ?? '')
      : '';
  const name = member.name?.getText() ?? '';
  return { name, type: spelledOut(oneLine(type)), ...described(docstringBefore(member)) };
}

/** Returns the strings of a union of strings, and any other type unchanged. */
function spelledOut(type: string): string {
  const alias = declarations.get(type);
  if (alias === undefined || !ts.isTypeAliasDeclaration(alias)) return type;
  const text = oneLine(alias.type.getText()).replace(/^\| /u, '');
  return /^'[^']*'(?: \| '[^']*')+$/u.test(text) ? text : type;
}

/** Rows of a union of object types: its discriminant, and the other members as the type. */
function variantsOf(union: ts.TypeNode): readonly Member[] {
  if (!ts.isUnionTypeNode(union)) return [];
  let end = union.getFullStart();
  return union.types.flatMap((variant) => {
    const before = union.getSourceFile().text.slice(end, variant.getStart());
    end = variant.getEnd();
    if (!ts.isTypeLiteralNode(variant)) return [];
    const members = variant.members.filter((member) => ts.isPropertySignature(member));
    const name = members.find((member) => member.name.getText() === 'type')?.type?.getText() ?? '';
    const others = members
      .filter((member) => member.name.getText() !== 'type')
      .map((member) => `${member.name.getText()}${member.questionToken === undefined ? '' : '?'}`);
    return [{ name: name.replaceAll("'", ''), type: others.join(', '), ...described(before) }];
  });
}

function docstringBefore(node: ts.Node): string {
  return node.getFullText().slice(0, node.getStart() - node.getFullStart());
}

/** Separates a docstring into its text and its default. */
function described(comment: string): Pick<Member, 'byDefault' | 'text'> {
  const body = /\/\*\*(?<body>[\s\S]*?)\*\//u.exec(comment)?.groups?.['body'] ?? '';
  const [text = '', byDefault = ''] = oneLine(body.replaceAll(/^\s*\*/gmu, '')).split(/\s*@default\s+/u);
  return { text, byDefault };
}

function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\breadonly /gu, '')
    .trim();
}

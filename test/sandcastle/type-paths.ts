/** Members of exported types as the type checker sees them, with those of nested objects: `hooks.host.onWorktreeReady`. */
import ts from 'typescript-5';
import { pathOf } from './ported-programs.ts';

/** How deep members of members are read. A result can contain itself. */
const DEEPEST = 4;

/** Returns the names that the module exports which a program imports first, with their types. */
export function exportsOf(compiler: ts.Program, program: string): ReadonlyMap<string, ts.Type> {
  const checker = compiler.getTypeChecker();
  const imported = compiler
    .getSourceFile(pathOf(program))
    ?.statements.find((node) => ts.isImportDeclaration(node));
  const module = imported && checker.getSymbolAtLocation(imported.moduleSpecifier);
  if (module === undefined) throw new Error(`The compiler found no module that ${program} imports`);
  return new Map(
    checker.getExportsOfModule(module).map((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const isType = (symbol.flags & ts.SymbolFlags.Type) !== 0;
      const type = isType ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol);
      return [exported.name, type] as const;
    }),
  );
}

/** Returns the paths of a type's members. Of a union, those of each variant. */
export function memberPaths(compiler: ts.Program, type: ts.Type): ReadonlySet<string> {
  const checker = compiler.getTypeChecker();
  const paths = new Set<string>();
  const isPlatform = (symbol: ts.Symbol | undefined): boolean =>
    symbol?.declarations?.some(({ parent }) =>
      /\/(?:typescript[\w-]*\/lib|@types)\//u.test(parent.getSourceFile().fileName),
    ) ?? false;
  const isMapped = (of: ts.Type): boolean =>
    (of.flags & ts.TypeFlags.Object) !== 0 &&
    ((of as ts.ObjectType).objectFlags & ts.ObjectFlags.Mapped) !== 0;

  function visit(of: ts.Type, before: string, depth: number): void {
    if (depth > DEEPEST) return;
    if (of.isUnion()) {
      for (const variant of of.types) visit(variant, before, depth);
      return;
    }
    if ((of.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return;
    for (const signature of of.getCallSignatures()) visitCall(signature, before, depth);
    const element = checker.getIndexTypeOfType(of, ts.IndexKind.Number);
    if (element !== undefined) return visit(element, `${before}[]`, depth + 1);
    const awaited = checker.getAwaitedType(of);
    if (awaited !== undefined && awaited !== of) return visit(awaited, before, depth);
    if (!isMapped(of) && isPlatform(of.getSymbol())) return;
    for (const member of of.getProperties()) {
      const path = `${before}.${member.name}`;
      paths.add(path);
      visit(checker.getTypeOfSymbol(member), path, depth + 1);
    }
  }

  function visitCall(signature: ts.Signature, before: string, depth: number): void {
    signature.parameters.forEach((parameter, index) => {
      visit(checker.getTypeOfSymbol(parameter), `${before}(${index})`, depth + 1);
    });
    visit(signature.getReturnType(), `${before}()`, depth + 1);
  }

  visit(type, '', 1);
  return paths;
}

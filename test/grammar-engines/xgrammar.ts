/** xgrammar: the engine of vLLM and SGLang, as WebAssembly. It compiles a schema and judges texts. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as XGrammar from '@mlc-ai/web-xgrammar';

const require = createRequire(import.meta.url);

/** A compiled schema. */
export interface Grammar extends Disposable {
  /** Returns true if the engine would let a model write this text. */
  accepts(text: string): Promise<boolean>;
}

/** Loads the engine. Its file is CommonJS in a package of modules, so a copy is loaded. */
export async function loadXGrammar(): Promise<(schema: unknown) => Promise<Grammar>> {
  const folder = await mkdtemp(join(tmpdir(), 'xgrammar-'));
  const copy = join(folder, 'index.cjs');
  await copyFile(require.resolve('@mlc-ai/web-xgrammar'), copy);
  const { Grammar, GrammarCompiler, GrammarMatcher, TokenizerInfo } = require(copy) as typeof XGrammar;
  await rm(folder, { recursive: true });
  const compiler = await GrammarCompiler.createGrammarCompiler(
    await TokenizerInfo.createTokenizerInfo([]),
    false,
  );
  return async (schema) => {
    const grammar = await Grammar.fromJSONSchema(JSON.stringify(schema));
    let compiled: XGrammar.CompiledGrammar | undefined;
    return {
      accepts: async (text) => {
        // Once: the engine's own `Testings.isGrammarAcceptString()` compiles the grammar for each text.
        compiled ??= await compiler.compileGrammar(grammar);
        const matcher = await GrammarMatcher.createGrammarMatcher(compiled, undefined, true);
        const isAccepted = matcher._acceptString(text) && matcher.isTerminated();
        matcher.dispose();
        return isAccepted;
      },
      [Symbol.dispose]: () => {
        compiled?.dispose();
        grammar.dispose();
      },
    };
  };
}

/** Search index: the built pages, and one record for each row of the member tables. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { close, createIndex } from 'pagefind';
import type { SearchRecord } from './prepare/site-files.ts';

/** Writes the index of the site in `folder`, in place of the one that has only the pages. */
export async function indexSearch(folder: string): Promise<void> {
  const file = join(import.meta.dirname, 'src/data/search-records.json');
  const records = JSON.parse(readFileSync(file, 'utf8')) as readonly SearchRecord[];
  const { index } = await createIndex();
  if (index === undefined) throw new Error('Pagefind made no index.');
  const { errors } = await index.addDirectory({ path: folder });
  const added = await Promise.all(records.map((record) => index.addHTMLFile(toFile(record))));
  const outputPath = join(folder, 'pagefind');
  rmSync(outputPath, { recursive: true, force: true });
  const written = await index.writeFiles({ outputPath });
  const problems = [...errors, ...added.flatMap((each) => each.errors), ...written.errors];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  await close();
}

/** A small page. Its meaning weighs little, so that a search for a word of it finds the guides first. */
function toFile({ url, name, owner, meaning }: SearchRecord): {
  readonly url: string;
  readonly content: string;
} {
  const content = `<html lang="en"><body><main data-pagefind-body>
<h1 data-pagefind-weight="10">${escaped(name)}</h1>
<p>${escaped(owner)}: <b data-pagefind-weight="10">${escaped(name)}</b></p>
<p data-pagefind-weight="0.2">${escaped(meaning)}</p>
</main></body></html>`;
  return { url, content };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

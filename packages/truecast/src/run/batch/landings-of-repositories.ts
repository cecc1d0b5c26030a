/** Landings of a batch over several repositories: one queue of landings for each. */
import { openRepository } from '../../git/repository/repository.ts';
import { itemOptionsOf } from './item-options.ts';
import { openItemLandings, type ItemLandingOptions, type ItemLandings } from './land-items.ts';

/** Opens the landings of a repository when its first item begins. */
export function landingsOfRepositories({
  normalized,
  stop,
}: Pick<ItemLandingOptions, 'normalized' | 'stop'>): ItemLandings {
  /** By the top folder, because items can name different folders of one repository. */
  const opened = new Map<string, Promise<ItemLandings | undefined>>();
  const byItem = new Map<string, ItemLandings>();
  const openFor = async (cwd: string): Promise<ItemLandings | undefined> => {
    const repository = await openRepository(cwd, {
      timeoutMs: normalized.gitTimeoutMs,
      signal: stop.signal,
    });
    const { topLevel } = repository;
    const known = opened.get(topLevel) ?? openItemLandings({ normalized, cwd, repository, stop });
    opened.set(topLevel, known);
    return known;
  };
  return {
    async recall(item) {
      // A repository that cannot be opened fails its item before an agent starts.
      const landings = await openFor(itemOptionsOf(normalized, item).cwd);
      if (landings !== undefined) byItem.set(item.key, landings);
      return landings?.recall(item);
    },
    async add(item, result, end) {
      await byItem.get(item.key)?.add(item, result, end);
    },
    forget(item) {
      byItem.get(item.key)?.forget(item);
      byItem.delete(item.key);
    },
    async settle() {
      for (const each of opened.values()) {
        const landings = await each.catch(() => undefined);
        await landings?.settle();
      }
    },
  };
}

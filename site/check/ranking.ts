/** Ranking of the search: a page with the word in its title or its name in the sidebar is first, whatever its length. */
export const RANKING = {
  termSimilarity: 4,
  pageLength: 0.8,
  termFrequency: 0.6,
  termSaturation: 1.6,
  metaWeights: { title: 25, label: 1 },
} as const;

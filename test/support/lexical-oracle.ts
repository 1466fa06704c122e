/*
 * Lexical scores by the shortest route from the definitions, on maps of strings: no index, no numbers
 * for terms, nothing that the library under test relies on.
 */

export type Corpus = ReadonlyMap<number, ReadonlyMap<string, number>>;

interface Scoring {
  model?: 'bm25' | 'tf-idf';
  k1?: number;
  b?: number;
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

/** The score of every document of a corpus, by id. */
export function lexicalScores(
  corpus: Corpus,
  query: ReadonlyMap<string, number>,
  { model = 'bm25', k1 = 1.2, b = 0.75 }: Scoring = {},
): Map<number, number> {
  const documents = [...corpus].map(
    ([id, terms]) =>
      [id, new Map([...terms].map(([term, tf]) => [term, Math.fround(tf)]))] as const,
  );
  const n = documents.length;
  const average = sum(documents.map(([, terms]) => sum(terms.values()))) / n;
  const df = (term: string) => documents.filter(([, terms]) => terms.has(term)).length;
  const known = [...query].filter(([term, weight]) => df(term) > 0 && weight > 0);

  if (model === 'bm25') {
    const idf = new Map(
      known.map(([term]) => [term, Math.log(1 + (n - df(term) + 0.5) / (df(term) + 0.5))]),
    );
    return new Map(
      documents.map(([id, terms]) => {
        const length = sum(terms.values());
        const parts = known.map(([term, weight]) => {
          const tf = terms.get(term) ?? 0;
          if (tf === 0) return 0;
          const saturated = (tf * (k1 + 1)) / (tf + k1 * (1 - b + (b * length) / average));
          return weight * idf.get(term)! * saturated;
        });
        return [id, sum(parts)];
      }),
    );
  }

  const q = new Map(known.map(([term, weight]) => [term, weight * Math.log(1 + n / df(term))]));
  const norm = (vector: Iterable<number>) => Math.sqrt(sum([...vector].map((x) => x ** 2)));
  return new Map(
    documents.map(([id, terms]) => {
      const d = new Map([...terms].map(([term, tf]) => [term, Math.log(1 + tf)]));
      const dot = sum([...q].map(([term, weight]) => weight * (d.get(term) ?? 0)));
      return [id, dot === 0 ? 0 : dot / (norm(q.values()) * norm(d.values()))];
    }),
  );
}

/** A random corpus of few words, so that ties and shared terms abound. */
export function randomCorpus(
  n: number,
  vocabulary: number,
  random: () => number,
): Map<number, Map<string, number>> {
  const corpus = new Map<number, Map<string, number>>();
  for (let i = 0; i < n; i++) {
    const terms = new Map<string, number>();
    const length = Math.floor(random() * 12);
    for (let t = 0; t < length; t++) {
      // Squared: low words are common, high ones rare.
      const word = `w${Math.floor(random() ** 2 * vocabulary)}`;
      terms.set(word, (terms.get(word) ?? 0) + (random() < 0.3 ? 0.5 : 1));
    }
    corpus.set(Math.floor(random() * n * 3), terms);
  }
  return corpus;
}

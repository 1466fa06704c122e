/**
 * English words that say how something is asked and not what for. They are left out of what is looked
 * for, not out of what is found; a request of nothing else keeps them.
 */
const STOP_WORDS = new Set(
  `a about after again all also am an and any are as at be because been before being but by can could
  did do does doing down for from further get give had has have having he help her here him his how i
  if in into is it its just let like make may me might more most must my need needs no nor not now of
  off on once only or other our out over own please same she should so some such than that the their
  them then there these they this those through to too under until up us very want was we were what
  when where which while who whom why will with would you your`
    .trim()
    .split(/\s+/),
);

/** The terms of a request, each once. */
export function queryTerms(terms: Iterable<string>): string[] {
  const distinct = [...new Set(terms)];
  const telling = tellingTerms(distinct);
  return telling.length > 0 ? telling : distinct;
}

/** The terms that are no stop words, each once; perhaps none. */
export function tellingTerms(terms: Iterable<string>): string[] {
  return [...new Set(terms)].filter((term) => !STOP_WORDS.has(term));
}

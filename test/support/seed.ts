import fc from 'fast-check';

/**
 * In CI properties are tried on the same cases every time, so that what it says is about the change.
 * Everywhere else each run tries others, and prints the seed of one that fails.
 */
if (process.env.CI) fc.configureGlobal({ seed: 20_261_201 });

/** Models of the AI SDK (the optional peer `ai`) as parts of the router. */
export { type DecomposerOptions, decomposeWith } from './decompose.ts';

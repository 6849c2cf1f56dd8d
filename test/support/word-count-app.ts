/** What functions/app.ts exports, with the word count: what the tests bundle and deploy, whatever an operator has put there. */
export { default } from '../../examples/wordcount/word-count.js';

export const queryStores: readonly string[] = ['counts'];

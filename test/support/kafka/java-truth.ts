import { type JavaToolOptions, runJavaTool } from './java-tool.js';

/** What the Java client read of one partition, from its start to its last stable offset (java/ReadCommitted.java). */
export interface JavaTruth {
  readonly topic: string;
  readonly partition: number;
  readonly records: number;
  /** Where it stopped reading (exclusive). */
  readonly end: number;
  readonly sha: string;
}

/** Reads topics (all partitions, in order) with the Java client; `name@end,end` stops each partition at an offset. */
export async function javaTruth(topics: readonly string[], options: JavaToolOptions): Promise<JavaTruth[]> {
  const lines = (await runJavaTool('ReadCommitted', topics, options)).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as JavaTruth);
}

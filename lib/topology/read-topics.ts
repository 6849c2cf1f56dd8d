import { TopologyError } from '../model/errors.js';
import { isSamePattern, matchesTopic } from './topic-patterns.js';

/** What the sources of a builder read: each topic belongs to one of them, by its name or by a pattern. */
export class ReadTopics {
  private readonly sourceOfTopic = new Map<string, string>();
  private readonly patternOfSource = new Map<string, RegExp>();

  has(topic: string): boolean {
    return this.sourceOfTopic.has(topic);
  }

  /** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY naming the source that reads it already */
  addTopic(topic: string, source: string): void {
    const other = this.sourceOfTopic.get(topic);
    if (other !== undefined) throw taken(`topic '${topic}' is already read by source '${other}'`, source, other);
    this.sourceOfTopic.set(topic, source);
  }

  /** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY naming the source that reads the same pattern already */
  addPattern(pattern: RegExp, source: string): void {
    for (const [other, before] of this.patternOfSource) {
      if (isSamePattern(pattern, before))
        throw taken(`the pattern of source '${source}' is already read by source '${other}'`, source, other);
    }
    this.patternOfSource.set(source, pattern);
  }

  /**
   * Holds patterns against names, when all are known. Two patterns that differ and match one topic can be told only where the topics
   * are known: `matchTopics` refuses them.
   *
   * @param isInternal whether the application owns a topic: no pattern matches it
   * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if a source names a topic that another one's pattern matches
   */
  checkOverlaps(isInternal: (topic: string) => boolean): void {
    for (const [source, pattern] of this.patternOfSource) {
      for (const [topic, other] of this.sourceOfTopic) {
        if (isInternal(topic) || !matchesTopic(pattern, topic)) continue;
        throw taken(`the pattern of source '${source}' matches topic '${topic}' of source '${other}'`, source, other);
      }
    }
  }
}

function taken(message: string, node: string, other: string): TopologyError {
  return new TopologyError(message, { details: { node, other } });
}

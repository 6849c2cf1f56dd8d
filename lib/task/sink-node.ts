import { ProcessingError, SerializationError } from '../model/errors.js';
import type { StreamRecord } from '../processor/stream-record.js';
import type { Cell } from '../serde/cell.js';
import type { Serde } from '../serde/serde.js';
import { defaultPartition } from '../topology/default-partitioner.js';
import type { SinkNode } from '../topology/node.js';
import type { Receiver } from './node.js';
import type { OutputCollector, TopicOutput } from './output-collector.js';
import type { TaskScope } from './task-scope.js';
import { userError } from './user-errors.js';

/** A sink in one task: chooses topic and partition, and writes the record's bytes. */
export class RunningSink implements Receiver {
  readonly name: string;
  private readonly node: SinkNode;
  /** Name on the broker; null where each record chooses. */
  private readonly topic: string | null;
  private readonly outputs: OutputCollector;
  private readonly scope: TaskScope;
  /** The topic of all records, or of the last one. */
  private output: TopicOutput | null = null;

  constructor(node: SinkNode, topic: string | null, outputs: OutputCollector, scope: TaskScope) {
    this.name = node.name;
    this.node = node;
    this.topic = topic;
    this.outputs = outputs;
    this.scope = scope;
  }

  process(record: StreamRecord<unknown, unknown>): void {
    const output = this.outputFor(record);
    const { keySerde, valueSerde } = this.node;
    if (!(Number.isSafeInteger(record.timestampMs) && record.timestampMs >= 0))
      throw this.refused(`a record with timestamp ${record.timestampMs}`, output);
    const key = this.encoded(record.keyCell, keySerde, 'key', output);
    const value = this.encoded(record.valueCell, valueSerde, 'value', output);
    const partition = this.chosenPartition(record, output) ?? defaultPartition(key, value, output.partitions);
    output.append(partition, key, value, record.timestampMs, record.headers);
    this.scope.dirty = true;
  }

  private outputFor(record: StreamRecord<unknown, unknown>): TopicOutput {
    const name = this.topic ?? this.extractedTopic(record);
    if (this.output?.name !== name) this.output = this.outputs.topic(name);
    return this.output;
  }

  private extractedTopic(record: StreamRecord<unknown, unknown>): string {
    let topic: unknown;
    try {
      topic = typeof this.node.topic === 'string' ? this.node.topic : this.node.topic(record);
    } catch (thrown) {
      throw userError(thrown, this.name, this.scope);
    }
    if (typeof topic === 'string') return topic;
    throw new ProcessingError(`sink ${this.name}: its function names no topic, it answered ${typeof topic}`, {
      details: { node: this.name, ...this.scope.whereabouts() },
    });
  }

  private chosenPartition(record: StreamRecord<unknown, unknown>, output: TopicOutput): number | undefined {
    const { partitioner } = this.node;
    if (partitioner === undefined) return undefined;
    let partition: number | undefined;
    try {
      partition = partitioner(output.name, record.key, record.value, output.partitions);
    } catch (thrown) {
      throw userError(thrown, this.name, this.scope);
    }
    if (partition === undefined) return undefined;
    if (Number.isInteger(partition) && partition >= 0 && partition < output.partitions) return partition;
    throw this.refused(`partition ${partition} of ${output.partitions}`, output);
  }

  private encoded(cell: Cell<unknown>, serde: Serde<unknown>, what: 'key' | 'value', output: TopicOutput) {
    try {
      return cell.encoded(serde);
    } catch (thrown) {
      if (!(thrown instanceof SerializationError)) throw userError(thrown, this.name, this.scope);
      throw new SerializationError(
        `sink ${this.name}, topic ${output.name}: the ${what} does not fit: ${thrown.message}`,
        {
          cause: thrown.cause,
          details: { ...thrown.details, node: this.name, sinkTopic: output.name, ...this.scope.whereabouts() },
        },
      );
    }
  }

  private refused(what: string, output: TopicOutput): ProcessingError {
    return new ProcessingError(`sink ${this.name} cannot write ${what} to topic ${output.name}`, {
      details: { node: this.name, sinkTopic: output.name, ...this.scope.whereabouts() },
    });
  }
}

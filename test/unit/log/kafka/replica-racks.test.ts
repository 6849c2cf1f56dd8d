import { expect, it } from 'vitest';
import { replicaRacksOf } from '../../../../lib/log/kafka/topics/replica-racks.js';

const partition = (number: number, replicas: readonly number[]) => ({
  partition: number,
  errorCode: 0,
  leaderId: replicas[0] ?? -1,
  replicas,
});
const node = (nodeId: number) => ({ nodeId, host: 'h', port: 9092 + nodeId });

it('racks of replicas are told by partition, each once, in whatever order partitions are answered', () => {
  const nodes = [
    { ...node(1), rack: 'a' },
    { ...node(2), rack: 'b' },
    { ...node(3), rack: 'a' },
  ];

  expect(replicaRacksOf([partition(1, [2, 3]), partition(0, [1, 3])], nodes)).toEqual({
    replicaRacks: [['a'], ['b', 'a']],
  });
});

it('nothing is told of racks where no broker names one; a broker without one adds none', () => {
  expect(replicaRacksOf([partition(0, [1])], [node(1)])).toEqual({});
  expect(replicaRacksOf([partition(0, [1])], [node(1), { ...node(2), rack: 'b' }])).toEqual({ replicaRacks: [[]] });
});

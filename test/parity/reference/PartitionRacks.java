import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.internals.InternalTopicManager;

/** The racks of a case's partitions, as a cluster and as its topics' descriptions. */
final class PartitionRacks {
  private final Map<String, Node> nodes = new TreeMap<>();
  private final List<PartitionInfo> partitions = new ArrayList<>();

  PartitionRacks(JsonNode racks) {
    racks.fields().forEachRemaining(entry -> {
      int dash = entry.getKey().lastIndexOf('-');
      List<Node> replicas = new ArrayList<>();
      entry.getValue().forEach(rack -> replicas.add(
          nodes.computeIfAbsent(rack.asText(), name -> new Node(nodes.size(), "broker-" + name, 9092, name))));
      Node[] all = replicas.toArray(new Node[0]);
      partitions.add(new PartitionInfo(entry.getKey().substring(0, dash),
          Integer.parseInt(entry.getKey().substring(dash + 1)), all.length == 0 ? null : all[0], all, all));
    });
  }

  Cluster cluster() {
    return new Cluster("cluster", nodes.values(), partitions, Set.of(), Set.of());
  }

  InternalTopicManager topics() {
    var config = new StreamsConfig(Map.of("application.id", "app", "bootstrap.servers", "localhost:1"));
    return new InternalTopicManager(Time.SYSTEM, null, config) {
      @Override
      public Map<String, List<TopicPartitionInfo>> getTopicPartitionInfo(Set<String> topics) {
        Map<String, List<TopicPartitionInfo>> described = new HashMap<>();
        for (PartitionInfo of : partitions) {
          if (!topics.contains(of.topic())) continue;
          described.computeIfAbsent(of.topic(), none -> new ArrayList<>())
              .add(new TopicPartitionInfo(of.partition(), of.leader(), List.of(of.replicas()), List.of(of.replicas())));
        }
        return described;
      }
    };
  }
}
